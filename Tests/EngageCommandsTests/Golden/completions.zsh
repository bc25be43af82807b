#compdef engage
# zsh completions of engage; write to a file _engage in a folder of $fpath
_engage() {
  local -a names
  if ((CURRENT == 2)); then
    names=(
      'demo:see everything work on this machine, with no account'
      'init:write a starter engage.json'
      'doctor:check the configuration, the vendors and the cache'
      'status:show how each surface and its providers stand'
      'emulate:run the vendors servers on this machine, until Ctrl-C'
      'providers:show what each provider can do'
      'routes:list, set, reset, return'
      'sync:refresh from every vendor and send pending actions'
      'parity:show how candidates of shadow routes compare with what is shown'
      'migrate:status, plan, advance, rollback, forget, export'
      'cards:list, show, impression, click, dismiss, submit, snooze, vote'
      'inbox:list, show, open, read, expire, delete'
      'person:show, set, associate, erase, export'
      'signin:sign in a user'
      'signout:sign out and report undelivered actions'
      'consent:show, set'
      'track:record a custom event'
      'templates:list, campaigns, sync, trigger'
      'outbox:list, retry, drop'
      'push:register, unregister, status, inspect'
      'device:show, register, update, unregister'
      'cache:repair, reset'
      'decode:show what an adapter makes of a vendors payload'
      'events:show recorded events'
      'export:write recorded events for another program'
      'verify:prove that an export is whole'
      'import:collect exported events of several devices in one file'
      'cursors:list, remove'
      'compare:compare providers by what this device saw'
      'experiment:plan, report'
      'completions:print completions for a shell'
      'man:print the manual page'
    )
    _describe command names
    return
  fi
  case "$words[2]" in
    demo) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    init) shift words; ((CURRENT--)); _arguments '--force[overwrite existing files]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    doctor) shift words; ((CURRENT--)); _arguments '--acknowledge[do not tell again that a damaged cache was replaced]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    status) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    emulate) shift words; ((CURRENT--)); _arguments '*--vendor[only this vendor]:NAME:(braze vibes clevertap atomic)' '--port[the first of ten ports (default 8400 Braze 8400, Vibes 8401, CleverTap 8402, Atomic 8403, control 8409); 0 takes free ports]:NUMBER:' '--seed[the seed of the made-up cards and messages (default 1)]:NUMBER:' '--cards[make up more cards and messages, until each vendor has so many or all that it keeps]:NUMBER:' '--faults[a fault script]:FILE:_files' '--state[a file that keeps what the vendors know from one start to the next]:FILE:_files' '--quiet[do not list the requests]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    providers) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    routes)
      if ((CURRENT == 3)); then
        names=(
          'list:show which providers fill each surface'
          'set:fill a surface from other providers'
          'reset:follow the route of engage.json again'
          'return:ask the first choice of firstReady, and show it again'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        set) shift 2 words; ((CURRENT -= 2)); _arguments '--container[a container of cards that has a route of its own]:NAME:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SURFACE:' ':ROUTE:' ;;
        reset) shift 2 words; ((CURRENT -= 2)); _arguments '--container[a container of cards that has a route of its own]:NAME:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SURFACE:' ;;
        return) shift 2 words; ((CURRENT -= 2)); _arguments '--container[a container of cards that has a route of its own]:NAME:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SURFACE:' ;;
      esac ;;
    sync) shift words; ((CURRENT--)); _arguments '--watch[keep syncing until Ctrl-C, and print changes]' '-w[keep syncing until Ctrl-C, and print changes]' '--every[how often with --watch (default 60)]:SECONDS:' '--full[fetch everything, not only what has changed]' '--now[send at once, also what a vendor has asked to wait with]' '--choose[choose this action, by its name or number, of each template that is drawn]:ACTION:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    parity) shift words; ((CURRENT--)); _arguments '--max-missing[how many of the shown contents the candidate may lack (default 0%)]:PERCENT:' '--max-extra[how many of the candidates contents may not be shown (default 0%)]:PERCENT:' '--max-different[how many of the common contents may differ (default 0%)]:PERCENT:' '--max-moved[how many of the common contents may stand elsewhere (default 0%)]:PERCENT:' '--max-no-key[how many of the shown items may have no content key (default 100%)]:PERCENT:' '--min-compared[how many contents have to be compared (default 1)]:N:' '--max-age[how old the last comparison may be (default 24)]:HOURS:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    migrate)
      if ((CURRENT == 3)); then
        names=(
          'status:show how far each surface has moved, and its gates'
          'plan:plan a move from one provider to another, and keep the plan'
          'advance:move a surface one stage on'
          'rollback:take a surface back to an earlier stage'
          'forget:forget the plan of a surface at off or removed, or one that cannot go on'
          'export:write what your server hands to a vendor so that people move to it'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        status) shift 2 words; ((CURRENT -= 2)); _arguments '--html[write a page with charts to a file that is not there yet]:FILE:_files' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        plan) shift 2 words; ((CURRENT -= 2)); _arguments '--from[the provider that goes]:PROVIDER:' '--to[the provider that comes]:PROVIDER:' '--surfaces[what moves, in this order (default all that can but person and events)]:NAME,NAME:' '--shares[the shares of people in percent, one stage each (default 5,25,50)]:N,N:' '--file[a plan as --json prints it, edited]:PLAN.json:_files' '-f[a plan as --json prints it, edited]:PLAN.json:_files' '--takes-back[go back by itself when a gate breaks]' '--automatic[move on by itself while gates hold, up to drain; not after a step back]' '--dry-run[show what would be done, and change nothing]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        advance) shift 2 words; ((CURRENT -= 2)); _arguments '--to[the stage that is meant, such as shadow or "canary 5" (default the next one)]:STAGE:' '*--from[the events of many installations, as engage import collects them]:FILE|DIR:_files' '--force[although gates do not hold or pushes would have to stay; needs --why]' '--why[the reason, for the event log]:TEXT:' '--by[who does it, for the event log]:NAME:' '--dry-run[show what would be done, and change nothing]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SURFACE:' ;;
        rollback) shift 2 words; ((CURRENT -= 2)); _arguments '--to[the stage, such as off, shadow or "canary 5" (default the one before)]:STAGE:' '--force[although gates do not hold or pushes would have to stay; needs --why]' '--why[the reason, for the event log]:TEXT:' '--by[who does it, for the event log]:NAME:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SURFACE:' ;;
        forget) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SURFACE:' ;;
        export) shift 2 words; ((CURRENT -= 2)); _arguments '--for[the vendor to which people move]:VENDOR:(braze vibes clevertap atomic)' '--out[a folder that is not there yet, or that of the same export]:DIR:' '-o[a folder that is not there yet, or that of the same export]:DIR:' '--personal-data[confirm that the files have ids, names, addresses and push tokens]' '--app-id[the vendors id of the application; braze files tokens under it]:ID:' '--suppressed[ids of people whom nothing may reach, one a line]:FILE:_files' '--user-hash-key[the organisations key for the hashes, so that a user has one on all devices]:FILE:' '--dry-run[tell what would be written, and write nothing]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' '*:FILE:_files' ;;
      esac ;;
    cards)
      if ((CURRENT == 3)); then
        names=(
          'list:show the cards that are in the cache'
          'show:show everything about one card'
          'impression:count a card as seen, control cards too'
          'click:click a card'
          'dismiss:dismiss a card permanently'
          'submit:submit a card with the values of its form'
          'snooze:hide a card for a while'
          'vote:say whether a card is useful'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--container[the container; else the first that engage.json names, else home]:NAME:' '--control[include control cards (not visible to users)]' '--snoozed[instead, the cards that are snoozed on this device, and until when]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        impression) shift 2 words; ((CURRENT -= 2)); _arguments '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        click) shift 2 words; ((CURRENT -= 2)); _arguments '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        dismiss) shift 2 words; ((CURRENT -= 2)); _arguments '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        submit) shift 2 words; ((CURRENT -= 2)); _arguments '--button[the cards button, by its name or its text; its own values are sent too]:NAME:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' '*:KEY=VALUE:' ;;
        snooze) shift 2 words; ((CURRENT -= 2)); _arguments '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ':TIME:' ;;
        vote) shift 2 words; ((CURRENT -= 2)); _arguments '--reason[why the card is not useful]:REASON:(not-relevant too-often other)' '--message[more about it, with the reason other]:TEXT:' '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ':VOTE:(up down)' ;;
      esac ;;
    inbox)
      if ((CURRENT == 3)); then
        names=(
          'list:show the messages that are in the cache'
          'show:show everything about one message'
          'open:tell the vendor that a message was opened'
          'read:mark a message as read'
          'expire:expire a message, now or at a given time'
          'delete:delete a message'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        open) shift 2 words; ((CURRENT -= 2)); _arguments '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        read) shift 2 words; ((CURRENT -= 2)); _arguments '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        expire) shift 2 words; ((CURRENT -= 2)); _arguments '--at[when the message ends, such as 2026-12-24T180000Z (default now)]:TIME:' '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        delete) shift 2 words; ((CURRENT -= 2)); _arguments '--yes[confirm; this cannot be undone]' '-y[confirm; this cannot be undone]' '--propagate[tell the vendors of the other copies of its content as well]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
      esac ;;
    person)
      if ((CURRENT == 3)); then
        names=(
          'show:fetch the users profile from each vendor'
          'set:change the users data at the vendors'
          'associate:associate this installation with the applications id of a person'
          'erase:erase all local data about a person'
          'export:print all local data about a person'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        set) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' '*:KEY=VALUE:' ;;
        associate) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':ID:' ;;
        erase) shift 2 words; ((CURRENT -= 2)); _arguments '--yes[confirm; this cannot be undone]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':USER:' ;;
        export) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':USER:' ;;
      esac ;;
    signin) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':USER:' ;;
    signout) shift words; ((CURRENT--)); _arguments '--wipe[drop undelivered actions instead of keeping them]' '--purge[drop undelivered actions, and remove items, files and secrets of the user]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    consent)
      if ((CURRENT == 3)); then
        names=(
          'show:show what the user allows'
          'set:set what the user allows'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        set) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':LEVEL:(denied essential full)' ;;
      esac ;;
    track) shift words; ((CURRENT--)); _arguments '--choose[choose this action, by its name or number, of each template that is drawn]:ACTION:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':NAME:' '*:KEY=VALUE:' ;;
    templates)
      if ((CURRENT == 3)); then
        names=(
          'list:list the defined templates and their arguments'
          'campaigns:list the campaigns and their states'
          'sync:tell the vendors dashboard of the templates'
          'trigger:draw a template with values, without a campaign'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        campaigns) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        sync) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':PROVIDER:' ;;
        trigger) shift 2 words; ((CURRENT -= 2)); _arguments '--provider[whose template it is, where several have the name]:NAME:' '--choose[choose this action, by its name or number, of each template that is drawn]:ACTION:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':NAME:' '*:KEY=VALUE:' ;;
      esac ;;
    outbox)
      if ((CURRENT == 3)); then
        names=(
          'list:list the actions that are still to be sent'
          'retry:send the pending actions now'
          'drop:drop actions that are still to be sent'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        retry) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        drop) shift 2 words; ((CURRENT -= 2)); _arguments '--provider[the users actions for this provider, also one that left engage.json]:NAME:' '--yes[do not ask]' '-y[do not ask]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' '*:ID:' ;;
      esac ;;
    push)
      if ((CURRENT == 3)); then
        names=(
          'register:register this installations push token'
          'unregister:unregister the push token'
          'status:show which providers have the push token'
          'inspect:find a push payloads vendor and show its content'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        register) shift 2 words; ((CURRENT -= 2)); _arguments '--service[the service that issued the token]:NAME:(apns fcm)' '--token-file[a file with the token that only you can read]:FILE:_files' '--token-env[the variable with the token]:NAME:' '--environment[the tokens environment (default production)]:NAME:(production sandbox)' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        unregister) shift 2 words; ((CURRENT -= 2)); _arguments '--environment[the tokens environment (default production)]:NAME:(production sandbox)' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        status) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        inspect) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':FILE:_files' ;;
      esac ;;
    device)
      if ((CURRENT == 3)); then
        names=(
          'show:show what vendors are told about this installation'
          'register:register this installation at every vendor that keeps a record of it'
          'update:send this installations versions, locale and time zone'
          'unregister:unregister this installation at every vendor that keeps a record of it'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        show) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        register) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        update) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        unregister) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
      esac ;;
    cache)
      if ((CURRENT == 3)); then
        names=(
          'repair:make a new cache with what can be saved of this one'
          'reset:begin with an empty cache'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        repair) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        reset) shift 2 words; ((CURRENT -= 2)); _arguments '--yes[do not ask]' '-y[do not ask]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
      esac ;;
    decode) shift words; ((CURRENT--)); _arguments '--vendor[the payloads vendor]:NAME:(braze vibes clevertap atomic)' '--kind[what it is]:KIND:(cards inbox push campaigns person)' '--strict[the status is 1 if an item is quarantined, or if the payload is none]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':FILE:_files' ;;
    events) shift words; ((CURRENT--)); _arguments '--follow[keep printing new events until Ctrl-C]' '-f[keep printing new events until Ctrl-C]' '--last[only the newest COUNT events]:COUNT:' '-n[only the newest COUNT events]:COUNT:' '*--kind[only events of this kind, such as dismiss]:KIND:' '--totals[count the events and people of every provider, over all users]' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    export) shift words; ((CURRENT--)); _arguments '--format[what to write (default as --out ends, else ndjson)]:FORMAT:(ndjson csv parquet)' '--gzip[compress with gzip]' '--zstd[compress with zstd]' '--out[a file or a folder that is not there yet; else, or for -, standard output]:FILE|DIR:' '-o[a file or a folder that is not there yet; else, or for -, standard output]:FILE|DIR:' '--to[a table of ClickHouse, in place of a file clickhouse//127.0.0.18123/DATABASE]:ADDRESS:' '--since[only events at this time or later]:TIME:' '--until[only events before this time]:TIME:' '*--kind[only events of this kind, such as dismiss]:KIND:' '*--provider[only events of this provider]:NAME:' '*--where[only events that fulfil it, such as data.size=large]:CONDITION:' '*--redact[leave out a field, such as userid, data.email or data.values.name]:FIELD:' '--partition[a file for each vendor, day or kind vendor,day]:KEYS:' '--cursor[only what came since the last export with this cursor]:NAME:' '--personal-data[keep what the applications own events tell of who a person is]' '--user-ids[users by their ids, in place of hashes; switches --personal-data on, too]' '--user-hash-key[the organisations key for the hashes, so that a user has one on all devices]:FILE:' '--as[a vendors own format, in place of ours]:FORMAT:(braze-currents clevertap-export)' '--zone[the zone of times that have none, such as +0530 (default UTC)]:OFFSET:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    verify) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':DIR:_files' ;;
    import) shift words; ((CURRENT--)); _arguments '--into[the file that collects the events; it is made, or added to]:FILE:' '--as[a vendors own format, in place of ours]:FORMAT:(braze-currents clevertap-export)' '--zone[the zone of times that have none, such as +0530 (default UTC)]:OFFSET:' '*--redact[leave out a field, such as userid, data.email or data.values.name]:FIELD:' '--user-hash-key[the organisations key for the hashes, so that a user has one on all devices]:FILE:' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' '*:FILE:_files' ;;
    cursors)
      if ((CURRENT == 3)); then
        names=(
          'list:list the cursors of exports'
          'remove:remove cursors of exports'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        list) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        remove) shift 2 words; ((CURRENT -= 2)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' '*:NAME:' ;;
      esac ;;
    compare) shift words; ((CURRENT--)); _arguments '*--provider[compare this provider]:NAME:' '--control[compare the others with this provider, and not with the first --provider, the first of the configuration or, of files, the first by name]:NAME:' '--since[only events at this time or later]:TIME:' '--until[only events before this time]:TIME:' '*--metric[only this metric]:NAME:(impression click completion dismissal opt-out open read)' '*--from[exported events of any devices, in place of those of this cache]:FILE|DIR|ADDRESS:_files' '--html[write a page with charts to a file that is not there yet]:FILE:_files' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
    experiment)
      if ((CURRENT == 3)); then
        names=(
          'plan:count the people that an experiment needs, and write its plan'
          'report:compare the arms of an experiment that was planned'
        )
        _describe verb names
        return
      fi
      case "$words[3]" in
        plan) shift 2 words; ((CURRENT -= 2)); _arguments '--rate[the share of people who do it today, such as 5% or 0.05]:SHARE:' '--lift[the smallest relative change worth seeing, such as 10%]:SHARE:' '--people[how many people there are in all arms, to print the smallest lift that they show]:COUNT:' '--daily[how many new people come in a day, in all arms]:COUNT:' '--power[the chance to see a lift that is there (default 80%)]:SHARE:' '--significance[the chance to see one that is not there (default 5%)]:SHARE:' '--anytime[allow looks at any time, and a stop when the lift is sure; needs more people]' '--name[what the experiment is called, for --out]:NAME:' '*--arm[an arm, for --out; the others are compared with the first one]:NAME:' '*--metric[only this metric]:NAME:(impression click completion dismissal opt-out open read)' '--out[write the plan to a file that is not there yet]:PLAN.json:_files' '-o[write the plan to a file that is not there yet]:PLAN.json:_files' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
        report) shift 2 words; ((CURRENT -= 2)); _arguments '*--from[exported events of any devices, in place of those of this cache]:FILE|DIR|ADDRESS:_files' '--html[write a page with charts to a file that is not there yet]:FILE:_files' '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':PLAN.json:_files' ;;
      esac ;;
    completions) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ':SHELL:(bash zsh fish)' ;;
    man) shift words; ((CURRENT--)); _arguments '--config[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '-c[the configuration; else $ENGAGE_CONFIG, else engage.json]:FILE:_files' '--json[print one JSON object a line]' '-j[print one JSON object a line]' '--log[log to standard error (default warning)]:LEVEL:(off error warning info verbose)' '--help[show this]' '-h[show this]' ;;
  esac
}
_engage "$@"
