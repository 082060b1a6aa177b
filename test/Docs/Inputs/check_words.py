"""Checks that pages and helps speak the field's words.

    check_words.py FILE...        - is the standard input

Each word below had a meaning of our own that readers had to learn first. Only
what is never meant otherwise is listed.
"""

import re
import sys

WORDS = {
    r"\bfringes?\b": "unaligned edges",
    r"\bpast the caches\b": "non-temporal stores, or streamed",
    r"\bflat counter\b": "collapsed outer loops",
    r"\bcounted as units\b": "collapsed outer loops",
    r"\b(nearly )?compet(e|es|ed|ing)\b": "set conflicts, aliasing",
    r"\bplaces (in|of) the (first|second|last) caches?\b": "sets and ways",
    r"\bcrowd(s|ed|ing)?\b": "set conflicts, or the access pattern",
    r"\bkept rows\b": "the access pattern",
    r"\bsteps of (a|the|its|their) networks?\b": "shuffle instructions",
    r"\bask(s|ed|ing)? (for|the (first|second) cache for) [^.|]*\b(lines?|tiles?|panels?|pages?)\b": "prefetch",
    r"\b(asked for|fetch(es|ed)?|lines) ahead\b": "prefetch",
}


def findings(name, text):
    # A phrase may go on in the next line.
    for pattern, better in WORDS.items():
        for match in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
            line = text.count("\n", 0, match.start()) + 1
            words = " ".join(match.group().split())
            yield f"{name}:{line}: '{words}': say {better}"


def main(names):
    bad = []
    for name in names:
        if name == "-":
            bad += findings("standard input", sys.stdin.read())
        else:
            with open(name) as file:
                bad += findings(name, file.read())
    print(*bad, f"{len(names)} texts", sep="\n")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main(sys.argv[1:])
