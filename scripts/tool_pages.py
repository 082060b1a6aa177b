#!/usr/bin/env python3
"""Manual pages and the completion of words, from what the tools say of themselves.

    tool_pages.py FOLDER PERMC PERMC_OPT

writes permc.1, one permc-COMMAND.1 for each command, permc-opt.1, and permc.bash
for bash-completion. All of it is made from the tables of options that --help
prints, so that nothing is said twice.
"""

import re
import subprocess
import sys
from pathlib import Path

folder, permc, permc_opt = Path(sys.argv[1]), *sys.argv[2:4]


def say(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def roff(text):
    """Text that is no request and keeps its dashes."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


class Help:
    """What a tool's --help says, taken apart."""

    def __init__(self, text):
        self.summary = ""
        self.usage = ""
        self.options = []  # (use, what it does)
        self.below = ""
        lines = iter(text.splitlines())
        for line in lines:
            if match := re.match(r"(?:OVERVIEW|SUBCOMMAND '.*'): (.*)", line):
                self.summary = match[1]
            elif line.startswith("USAGE: "):
                self.usage = line[len("USAGE: "):]
            elif line.startswith("OPTIONS:"):
                break
        rest = list(lines)
        for place, line in enumerate(rest):
            option = re.match(r" +(-\S.*?) +-  ?(.*)", line)
            if option:
                self.options.append([option[1], option[2]])
            elif self.options and re.match(r" {8,}\S", line):
                self.options[-1][1] += " " + line.strip()
            elif line and not line.startswith(" ") and not line.endswith("ptions:"):
                self.below = "\n".join(rest[place:])
                break

    def words(self):
        """The options alone, as they are typed."""
        return ["-MD" if name == "--MD" else name for name in (re.split(r"[=\[ ]", use)[0] for use, _ in self.options)]


def write_page(name, help_text, see_also, version, commands=()):
    page = Help(help_text)
    text = f'.TH {name.upper()} 1 "" "permc {version}" "User Commands"\n'
    summary = page.summary.removeprefix("permc ")
    text += f".SH NAME\n{roff(name)} \\- {roff(summary[0].lower() + summary[1:])}\n"
    text += f".SH SYNOPSIS\n.B {roff(page.usage)}\n"
    if commands:
        text += ".SH COMMANDS\n"
        for command, summary in commands:
            text += f".TP\n.B {roff(command)}\n{roff(summary)}; see\n.BR {roff('permc-' + command)} (1)\n"
    text += ".SH OPTIONS\n"
    for use, what in page.options:
        text += f".TP\n.B {roff(use.replace('--MD', '-MD'))}\n{roff(what)}\n"
    if page.below:
        text += f".SH NOTES\n.nf\n{roff(page.below)}\n.fi\n"
    text += ".SH EXIT STATUS\n0; 1 if something went wrong; 2 if the command line cannot be meant.\n"
    text += ".SH SEE ALSO\n" + ",\n".join(f".BR {roff(other)} (1)" for other in see_also).replace(",\n", "\n") + "\n"
    (folder / f"{name}.1").write_text(text)
    return page


def write_completion(commands, pages, opt):
    cases = "".join(f"    {name}) words='{' '.join(pages[name].words())}' ;;\n" for name, _ in commands)
    names = " ".join(name for name, _ in commands)
    (folder / "permc.bash").write_text(
        f"""# bash completion for permc and permc-opt. Made by permc's build. Do not edit.

_permc() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{names} help --help --version' -- "$current"))
    return
  fi
  case $previous in
    --target|--default-target)
      COMPREPLY=($(compgen -W "$("${{COMP_WORDS[0]}}" targets 2>/dev/null | sed 1d | cut -d' ' -f1)" -- "$current"))
      return ;;
    --convention) COMPREPLY=($(compgen -W 'numpy matlab openvino mli' -- "$current")); return ;;
    --emit) COMPREPLY=($(compgen -W 'obj asm llvm mlir c header lib shared' -- "$current")); return ;;
    -o|--header|--manifest|--schedule|--machine|--depfile) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case ${{COMP_WORDS[1]}} in
{cases}    help) words='{names}' ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) [ "${{COMP_WORDS[1]}}" = help ] && COMPREPLY=($(compgen -W "$words" -- "$current")) || COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}

_permc_opt() {{
  COMPREPLY=($(compgen -W '{" ".join(opt.words())}' -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}

complete -o filenames -F _permc permc
complete -o filenames -F _permc_opt permc-opt
"""
    )


folder.mkdir(parents=True, exist_ok=True)
version = say(permc, "--version").split()[1].rstrip(",")
top = say(permc, "--help")
commands = re.findall(r"^  (\w+) +- (.*)$", top.split("OPTIONS:")[0], flags=re.M)
every = ["permc"] + [f"permc-{name}" for name, _ in commands] + ["permc-opt"]
pages = {}
for command, _ in commands:
    name = f"permc-{command}"
    pages[command] = write_page(name, say(permc, command, "--help"), [other for other in every if other != name], version)
write_page("permc", top, every[1:], version, commands)
opt = write_page("permc-opt", say(permc_opt, "--help"), every[:-1], version)
write_completion(commands, pages, opt)
