#compdef engage
# zsh completions of engage; write to a file _engage in a folder of $fpath
_engage() {
  local -a names
  if ((CURRENT == 2)); then
    names=(
      'demo:see everything work on this machine, with no account'
      'init:write a starter engage.json'
      'doctor:check the configuration, the vendors and the cache'
      'emulate:run the vendors servers on this machine, until Ctrl-C'
      'providers:show what each provider can do'
      'sync:ask every vendor anew and deliver what waits'
      'cards:list, show, impression, click, dismiss'
      'inbox:list, show, open, read, expire, delete'
      'person:show, set, associate, erase, export'
      'signin:make a user present'
      'signout:make nobody in particular present, and say what was delivered'
      'consent:show, set'
      'track:record an event of the applications own'
      'push:register, unregister, inspect'
      'decode:show what an adapter makes of a vendors payload'
      'events:show what happened, from the ledger'
      'completions:print completions for a shell'
    )
    _describe command names
    return
  fi
  case "$words[2]" in
    demo) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    init) shift words; ((CURRENT--)); _arguments '--force[write over a file that is there]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    doctor) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    emulate) shift words; ((CURRENT--)); _arguments '*--vendor[only this vendor]:NAME:(braze vibes)' '--port[the first of ten ports (default 8400) Brazes, then Vibess, CleverTaps and Atomics; the last is controls; 0 takes any that are free]:NUMBER:' '--seed[what the vendors hold follows from it (default 1)]:NUMBER:' '--faults[a script of what goes wrong]:FILE:_files' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    providers) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    sync) shift words; ((CURRENT--)); _arguments '--watch[go on asking and delivering, until Ctrl-C, and tell what is new]' '-w[go on asking and delivering, until Ctrl-C, and tell what is new]' '--every[how often with --watch (default 60)]:SECONDS:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    cards)
      if ((CURRENT == 3)); then
        names=(
          'list:show the cards that are in the cache'
          'show:show everything about one card'
          'impression:count a card as seen, control cards too'
          'click:click a card'
          'dismiss:dismiss a card for good'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--container[the container; else the first that engage.json names, else home]:NAME:' '--control[list control cards too, which are never shown]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        impression) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        click) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        dismiss) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
      esac ;;
    inbox)
      if ((CURRENT == 3)); then
        names=(
          'list:show the messages that are in the cache'
          'show:show everything about one message'
          'open:tell the vendor that a message was opened'
          'read:mark a message as read'
          'expire:have a message end, now or at a time'
          'delete:take a message away for good'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        open) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        read) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        expire) shift 2 words; ((CURRENT -= 2)); _arguments '--at[when the message ends, such as 2026-12-24T180000Z (default now)]:TIME:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        delete) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
      esac ;;
    person)
      if ((CURRENT == 3)); then
        names=(
          'show:ask each vendor who the user is'
          'set:change what the vendors know of the user'
          'associate:tie this installation to the applications id of a person'
          'erase:take away everything that is held here about a person'
          'export:print everything that is held here about a person'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        set) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' '*:KEY=VALUE:' ;;
        associate) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        erase) shift 2 words; ((CURRENT -= 2)); _arguments '--yes[do it; nothing brings it back]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':USER:' ;;
        export) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':USER:' ;;
      esac ;;
    signin) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':USER:' ;;
    signout) shift words; ((CURRENT--)); _arguments '--wipe[drop what could not be delivered; else it waits]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    consent)
      if ((CURRENT == 3)); then
        names=(
          'show:show what the user allows'
          'set:note what the user allows'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        set) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':LEVEL:(denied essential full)' ;;
      esac ;;
    track) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':NAME:' '*:KEY=VALUE:' ;;
    push)
      if ((CURRENT == 3)); then
        names=(
          'register:tell the vendors the push token of this installation'
          'unregister:have the vendors forget the push token'
          'inspect:say whose push a payload is, and what it means'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        register) shift 2 words; ((CURRENT -= 2)); _arguments '--service[who gave the token]:NAME:(apns fcm)' '--token-file[a file with the token that only you can read]:FILE:_files' '--token-env[the variable with the token]:NAME:' '--environment[where the token is good (default production)]:NAME:(production sandbox)' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        unregister) shift 2 words; ((CURRENT -= 2)); _arguments '--environment[where the token is good (default production)]:NAME:(production sandbox)' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        inspect) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':FILE:_files' ;;
      esac ;;
    decode) shift words; ((CURRENT--)); _arguments '--vendor[whose payload it is]:NAME:(braze vibes clevertap atomic)' '--kind[what it is]:KIND:(cards inbox push campaigns person)' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':FILE:_files' ;;
    events) shift words; ((CURRENT--)); _arguments '--follow[go on with what happens, until Ctrl-C]' '-f[go on with what happens, until Ctrl-C]' '--last[only the newest]:COUNT:' '-n[only the newest]:COUNT:' '*--kind[only these, such as dismiss]:KIND:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    completions) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[tell on standard error what is done (default off)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SHELL:(bash zsh fish)' ;;
  esac
}
_engage "$@"
