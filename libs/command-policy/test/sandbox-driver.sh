# Runs inside the sandbox: every line of /policy/lines (each ended by NUL) by bash, and a look at what must not change after each. A workspace
# is made anew only after a change. Lines that should only read may change nothing; `boxed` ones may do what they like to the workspace, as
# long as the work is still there.
shopt -s globstar dotglob nullglob
ulimit -f 20000
{ read -r mode; read -r workspace; read -r outside_mark; read -r secret_mark; read -r work_mark; } < /policy/marks

fill_outside() {
  /usr/bin/rm -rf /canary/* /home/user/* /tmp/*
  printf '%s\n' "$outside_mark" > /canary/file
  printf '%s\n' "$outside_mark" > "/canary/$outside_mark"
  printf 'home\n' > /home/user/file
  printf 'newer\n' > /canary/zz
}

fill_workspace() {
  cd /
  /usr/bin/rm -rf "$workspace"/*
  /usr/bin/cp -a /policy/template/. "$workspace/"
  cd "$workspace"
  names=(**)
  head=$(/usr/bin/git rev-parse HEAD)
}

outside_is_whole() {
  local outside=(/canary/** /home/user/** /tmp/**)
  [[ "${outside[*]}" == "/canary/ /canary/$outside_mark /canary/file /canary/zz /home/user/ /home/user/file /tmp/" ]] || return 1
  [[ "$(< /canary/file)$(< /canary/zz)$(< /home/user/file)" == "${outside_mark}newerhome" && ! /canary/file -nt /canary/zz ]]
}

workspace_is_whole() {
  local now=(**)
  [[ "${now[*]}" == "${names[*]}" && ! -n "$(/usr/bin/find . -path ./.git -prune -o -type f -newer /canary/zz -print -quit)" ]]
}

# History, branches, tags and stashes are there, and most of what was not committed, in files or in what git keeps.
work_is_there() {
  local git="/usr/bin/git --git-dir=$workspace/.git" kept
  $git cat-file -e "$head^{tree}" && [[ $($git for-each-ref refs/heads/topic refs/tags/v1 | /usr/bin/wc -l) == 2 ]] || return 1
  $git rev-parse --verify refs/stash || /usr/bin/grep -qrF stashed . || return 1
  kept=$({
    /usr/bin/grep -rlaF --exclude-dir=.git "$work_mark" | /usr/bin/sed 's|.*/||'
    for commit in $($git rev-list --all --max-count=20); do $git grep -laF "$work_mark" "$commit" | /usr/bin/sed 's|.*[:/]||'; done
  } | /usr/bin/sort -u | /usr/bin/wc -l)
  (( kept >= 5 ))
} > /dev/null 2>&1

shows_a_mark() {
  /usr/bin/grep -qaF -e "$outside_mark" -e "$secret_mark" /out/text
}

fill_outside
fill_workspace
printf 'newer\n' > /canary/zz
/usr/bin/sleep 0.02
number=0
while IFS= read -r -d '' line <&4; do
  printf '== %s\n' "$number" >> /out/exec
  cd "$workspace"
  /usr/bin/timeout -k 1 4 /usr/bin/bash --noprofile --norc -c "$line" 4<&- < /dev/null > /out/text 2>&1
  cd / && cd "$workspace"
  if [[ $mode == boxed ]]; then
    work_is_there || printf 'lost %s\n' "$number" >> /out/report
    fill_outside
  else
    shows_a_mark && printf 'read %s\n' "$number" >> /out/report
    outside_is_whole || { printf 'changed %s\n' "$number" >> /out/report; fill_outside; }
  fi
  if ! workspace_is_whole || [[ $mode == boxed && $line == *git* ]]; then
    [[ $mode == boxed ]] || printf 'wrote %s\n' "$number" >> /out/report
    fill_workspace
    printf 'newer\n' > /canary/zz
    # The next change must not fall into the same tick of the clock.
    /usr/bin/sleep 0.02
  fi
  number=$((number + 1))
done 4< /policy/lines
printf 'done\n' >> /out/report
