# Runs inside the sandbox: every line of /policy/lines (a mark whether it may write, and itself, each ended by NUL) by bash, and a look at what must not change after each.
# Only builtins look, so that a line costs little more than its own shell; a workspace is made anew only after a change.
shopt -s globstar dotglob nullglob
ulimit -f 20000

fill_outside() {
  /usr/bin/rm -rf /canary/* /home/user/* /tmp/*
  printf 'canary\n' > /canary/file
  printf 'home\n' > /home/user/file
  printf 'newer\n' > /canary/zz
}

fill_workspace() {
  cd /
  /usr/bin/rm -rf /workspace/*
  /usr/bin/cp -a /policy/template/. /workspace/
  cd /workspace
  marks=(**)
}

outside_is_whole() {
  local names=(/canary/** /home/user/** /tmp/**)
  [[ "${names[*]}" == '/canary/ /canary/file /canary/zz /home/user/ /home/user/file /tmp/' ]] || return 1
  [[ "$(< /canary/file)$(< /canary/zz)$(< /home/user/file)" == canarynewerhome && ! /canary/file -nt /canary/zz ]]
}

workspace_is_whole() {
  local names=(**)
  [[ "${names[*]}" == "${marks[*]}" && ! -n "$(/usr/bin/find . -path ./.git -prune -o -type f -newer /canary/zz -print -quit)" ]]
}

fill_outside
fill_workspace
/usr/bin/sleep 0.02
: > /canary/zz
printf 'newer\n' > /canary/zz
number=0
while IFS= read -r -d '' writes <&4 && IFS= read -r -d '' line <&4; do
  printf '== %s\n' "$number" >> /out/exec
  cd /workspace
  /usr/bin/timeout -k 1 4 /usr/bin/bash --noprofile --norc -c "$line" 4<&- < /dev/null > /dev/null 2>&1
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
