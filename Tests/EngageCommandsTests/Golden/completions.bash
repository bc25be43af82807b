# bash completions of engage; load with: source <(engage completions bash)
_engage() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "${COMP_WORDS[1]} $before" in
    *" --config"|*" -c") COMPREPLY=($(compgen -f -- "$word")); return ;;
    *" --log") COMPREPLY=($(compgen -W 'off error warning info verbose' -- "$word")); return ;;
    "emulate"" --vendor") COMPREPLY=($(compgen -W 'braze vibes clevertap atomic' -- "$word")); return ;;
    "emulate"" --port") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "emulate"" --seed") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "emulate"" --cards") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "emulate"" --faults") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "emulate"" --state") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "sync"" --every") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "sync"" --choose") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "cards"" --container") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "cards"" --button") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "cards"" --reason") COMPREPLY=($(compgen -W 'not-relevant too-often other' -- "$word")); return ;;
    "cards"" --message") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "inbox"" --at") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "track"" --choose") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "templates"" --provider") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "templates"" --choose") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "outbox"" --provider") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "push"" --service") COMPREPLY=($(compgen -W 'apns fcm' -- "$word")); return ;;
    "push"" --token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
    "push"" --token-env") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "push"" --environment") COMPREPLY=($(compgen -W 'production sandbox' -- "$word")); return ;;
    "decode"" --vendor") COMPREPLY=($(compgen -W 'braze vibes clevertap atomic' -- "$word")); return ;;
    "decode"" --kind") COMPREPLY=($(compgen -W 'cards inbox push campaigns person' -- "$word")); return ;;
    "events"" --last"|"events"" -n") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
    "events"" --kind") COMPREPLY=($(compgen -W '' -- "$word")); return ;;
  esac
  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
    "demo "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "init "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--force --config --json --log --help' -- "$word")); return; } ;;
    "doctor "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--acknowledge --config --json --log --help' -- "$word")); return; } ;;
    "emulate "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--vendor --port --seed --cards --faults --state --quiet --config --json --log --help' -- "$word")); return; } ;;
    "providers "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "sync "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--watch --every --full --now --choose --config --json --log --help' -- "$word")); return; } ;;
    "cards list") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--container --control --snoozed --config --json --log --help' -- "$word")); return; } ;;
    "cards show") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "cards impression") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "cards click") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "cards dismiss") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "cards submit") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--button --config --json --log --help' -- "$word")); return; } ;;
    "cards snooze") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "cards vote") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--reason --message --config --json --log --help up down' -- "$word")); return; } ;;
    "cards "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'list show impression click dismiss submit snooze vote' -- "$word")); return; } ;;
    "inbox list") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "inbox show") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "inbox open") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "inbox read") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "inbox expire") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--at --config --json --log --help' -- "$word")); return; } ;;
    "inbox delete") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--yes --config --json --log --help' -- "$word")); return; } ;;
    "inbox "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'list show open read expire delete' -- "$word")); return; } ;;
    "person show") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "person set") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "person associate") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "person erase") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--yes --config --json --log --help' -- "$word")); return; } ;;
    "person export") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "person "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'show set associate erase export' -- "$word")); return; } ;;
    "signin "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "signout "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--wipe --purge --config --json --log --help' -- "$word")); return; } ;;
    "consent show") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "consent set") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help denied essential full' -- "$word")); return; } ;;
    "consent "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'show set' -- "$word")); return; } ;;
    "track "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--choose --config --json --log --help' -- "$word")); return; } ;;
    "templates list") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "templates campaigns") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "templates sync") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "templates trigger") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--provider --choose --config --json --log --help' -- "$word")); return; } ;;
    "templates "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'list campaigns sync trigger' -- "$word")); return; } ;;
    "outbox list") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "outbox retry") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "outbox drop") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--provider --yes --config --json --log --help' -- "$word")); return; } ;;
    "outbox "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'list retry drop' -- "$word")); return; } ;;
    "push register") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--service --token-file --token-env --environment --config --json --log --help' -- "$word")); return; } ;;
    "push unregister") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--environment --config --json --log --help' -- "$word")); return; } ;;
    "push inspect") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word"; compgen -f -- "$word")); return; } ;;
    "push "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'register unregister inspect' -- "$word")); return; } ;;
    "device show") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "device register") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "device update") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "device unregister") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "device "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'show register update unregister' -- "$word")); return; } ;;
    "cache repair") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
    "cache reset") ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--yes --config --json --log --help' -- "$word")); return; } ;;
    "cache "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W 'repair reset' -- "$word")); return; } ;;
    "decode "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--vendor --kind --strict --config --json --log --help' -- "$word"; compgen -f -- "$word")); return; } ;;
    "events "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--follow --last --kind --config --json --log --help' -- "$word")); return; } ;;
    "completions "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help bash zsh fish' -- "$word")); return; } ;;
    "man "*) ((COMP_CWORD > 1)) && { COMPREPLY=($(compgen -W '--config --json --log --help' -- "$word")); return; } ;;
  esac
  COMPREPLY=($(compgen -W 'demo init doctor emulate providers sync cards inbox person signin signout consent track templates outbox push device cache decode events completions man help --help --version' -- "$word"))
}
complete -o bashdefault -F _engage engage
