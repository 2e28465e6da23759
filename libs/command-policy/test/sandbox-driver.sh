# Runs inside the sandbox: every line of /policy/lines (a mark whether it may write, and itself, each ended by NUL) by bash, and a look at what must not change after each.
# Mostly builtins look, so that a line costs little more than its own shell; a workspace is made anew only after a change.
shopt -s globstar dotglob nullglob
ulimit -f 20000
{ read -r workspace; read -r outside_mark; read -r secret_mark; } < /policy/marks

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
  marks=(**)
  kept=$(kept_files)
  secrets=$(secret_files)
}

# What nobody may write unasked, with its content.
kept_files() {
  /usr/bin/find . \( -iname agents.md -o -path '*/.github/*' -o -path '*/.git/hooks/*' -o -path '*/.git/config' -o -name .bullpenignore \
    -o -name '.env*' -o -name '*.pem' -o -path './hidden/*' -o -path './node_modules/*' \) -type f -exec /usr/bin/md5sum {} + | /usr/bin/sort
}

secret_files() {
  /usr/bin/grep -rlF -e "$secret_mark" . | /usr/bin/sort
}

outside_is_whole() {
  local names=(/canary/** /home/user/** /tmp/**)
  [[ "${names[*]}" == "/canary/ /canary/$outside_mark /canary/file /canary/zz /home/user/ /home/user/file /tmp/" ]] || return 1
  [[ "$(< /canary/file)$(< /canary/zz)$(< /home/user/file)" == "${outside_mark}newerhome" && ! /canary/file -nt /canary/zz ]]
}

workspace_is_whole() {
  local names=(**)
  [[ "${names[*]}" == "${marks[*]}" && ! -n "$(/usr/bin/find . -path ./.git -prune -o -type f -newer /canary/zz -print -quit)" ]]
}

shows_a_mark() {
  /usr/bin/grep -qaF -e "$outside_mark" -e "$secret_mark" /out/text
}

fill_outside
fill_workspace
/usr/bin/sleep 0.02
: > /canary/zz
printf 'newer\n' > /canary/zz
number=0
while IFS= read -r -d '' writes <&4 && IFS= read -r -d '' line <&4; do
  printf '== %s\n' "$number" >> /out/exec
  cd "$workspace"
  /usr/bin/timeout -k 1 4 /usr/bin/bash --noprofile --norc -c "$line" 4<&- < /dev/null > /out/text 2>&1
  shows_a_mark && printf 'read %s\n' "$number" >> /out/report
  if [[ $writes == 1 ]]; then
    [[ "$(kept_files)" == "$kept" ]] || printf 'protected %s\n' "$number" >> /out/report
    [[ "$(secret_files)" == "$secrets" ]] || printf 'leaked %s\n' "$number" >> /out/report
  fi
  if ! outside_is_whole; then
    printf 'changed %s\n' "$number" >> /out/report
    fill_outside
    fill_workspace
  elif [[ $writes == 1 ]] && ! workspace_is_whole; then
    fill_workspace
    /usr/bin/sleep 0.01
    printf 'newer\n' > /canary/zz
  fi
  number=$((number + 1))
done 4< /policy/lines
printf 'done\n' >> /out/report
