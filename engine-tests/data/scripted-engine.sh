#!/bin/sh
# A UCI engine that does as it is told, for tests of matches:
#
#   sh scripted-engine.sh [ACTION...] [black ACTION...]
#
# In each game it does one action a move: first those before the word "black" when it
# has White, those after it when it has Black. An action is a move (e2e4), or
#   die           ends the process with status 3
#   close         closes the output and stays
#   hang          stays, and never answers anything again
#   think         does not move until it is told to stop
#   late:S:MOVE   moves after S seconds
#   score:CP:MOVE moves and says that it scores CP centipawns
#   ponder:MOVE:REPLY  moves and thinks about a reply until it is told more
# Without actions left it moves its queen's knight out and back, which ends in a
# draw by repetition. It lists the variant as "Atomic", and copies all that it reads
# to the file that the variable SCRIPT_LOG names.

variant=chess
moves=0

send() {
    printf '%s\n' "$1"
}

# Prints action number $1 of side $2 (0 White, 1 Black); the rest are the actions.
action() {
    wanted=$1 side=$2 current=0 number=0
    shift 2
    for word in "$@"; do
        if [ "$word" = black ]; then
            current=1 number=0
            continue
        fi
        if [ "$current" = "$side" ] && [ "$number" = "$wanted" ]; then
            printf '%s' "$word"
            return
        fi
        number=$((number + 1))
    done
    case $side$((wanted % 2)) in
        00) printf b1c3 ;;
        01) printf c3b1 ;;
        10) printf b8c6 ;;
        11) printf c6b8 ;;
    esac
}

answer() {
    case $1 in
        die) echo "scripted death" >&2; exit 3 ;;
        close) exec >&-; sleep 600 ;;
        hang) sleep 600 ;;
        think) ;;
        late:*) rest=${1#late:}; sleep "${rest%%:*}"; send "bestmove ${rest#*:}" ;;
        score:*)
            rest=${1#score:}
            send "info depth 7 score cp ${rest%%:*} nodes 100 pv ${rest#*:}"
            send "bestmove ${rest#*:}"
            ;;
        ponder:*) rest=${1#ponder:}; send "bestmove ${rest%%:*} ponder ${rest#*:}" ;;
        *) send "info depth 1 score cp 0 nodes 1"; send "bestmove $1" ;;
    esac
}

while read -r line; do
    if [ -n "$SCRIPT_LOG" ]; then
        printf '%s\n' "$line" >>"$SCRIPT_LOG"
    fi
    case $line in
        uci)
            send "id name Scripted"
            send "option name Hash type spin default 1 min 1 max 1024"
            send "option name UCI_Chess960 type check default false"
            send "option name UCI_Variant type combo default chess var chess var Atomic"
            send "uciok"
            ;;
        "setoption name UCI_Variant value Atomic") variant=atomic ;;
        isready) send "readyok" ;;
        ucinewgame) moves=0 ;;
        position*)
            case $line in
                *" b "*) first=1 ;;
                *) first=0 ;;
            esac
            count=0
            played=
            case $line in
                *moves*) played=${line#*moves} ;;
            esac
            for word in $played; do
                count=$((count + 1))
            done
            side=$(((first + count) % 2))
            ;;
        "go ponder"*) ;;
        go* | ponderhit)
            if [ "$variant" != atomic ]; then
                send "bestmove 0000"
                continue
            fi
            next=$(action "$moves" "$side" "$@")
            moves=$((moves + 1))
            answer "$next"
            ;;
        stop) send "bestmove a2a3" ;;
        quit) exit 0 ;;
    esac
done
