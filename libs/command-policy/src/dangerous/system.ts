/** Commands that stop machines and processes, change services, or hand a shell to the network. */
import type { Finding } from '../rules.js';
import { danger, operandsOf, type Call } from './common.js';

const POWER = /^(shutdown|reboot|halt|poweroff|telinit|kexec|pm-suspend|systemd-run)$/;
const SERVICE =
  /^(systemctl|service|crontab|at|batch|launchctl|rc-update|update-rc\.d|chkconfig|initctl|sv|loginctl|journalctl|anacron|schtasks|sc)$/;
const ACCOUNTS =
  /^(useradd|userdel|usermod|groupadd|groupdel|passwd|chpasswd|visudo|vipw|su|adduser|deluser|login|newgrp)$/;
const KERNEL =
  /^(iptables|ip6tables|nft|ufw|sysctl|modprobe|insmod|rmmod|setenforce|auditctl|ifconfig|route|tc|firewall-cmd)$/;

export function dangerousSystem(call: Call): Finding[] {
  const { program } = call;
  const operands = operandsOf(call).map(({ value }) => value);
  if (POWER.test(program) || (program === 'init' && /^[0-6sS]$/.test(operands[0] ?? ''))) {
    return [
      danger('dangerous.power', `${program} stops the machine or starts something that keeps running.`, call),
    ];
  }
  if (SERVICE.test(program)) {
    const stops =
      program === 'systemctl' &&
      /^(poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency)$/.test(operands[0] ?? '');
    return [
      danger(
        stops ? 'dangerous.power' : 'dangerous.service',
        `${program} changes what this machine runs automatically.`,
        call,
      ),
    ];
  }
  if (ACCOUNTS.test(program))
    return [danger('dangerous.privilege', `${program} manages users and their rights.`, call)];
  if (KERNEL.test(program))
    return [danger('dangerous.service', `${program} changes the network or the kernel.`, call)];
  if (/^(kill|pkill|killall|killall5|skill|xkill)$/.test(program)) return kills(call, operands);
  if (program === 'history' && call.args.some(({ value }) => /^-[cdw]/.test(value))) {
    return [danger('dangerous.delete', 'It removes traces of what was run.', call)];
  }
  return networkShell(call);
}

function kills(call: Call, operands: readonly string[]): Finding[] {
  const everything =
    call.args.slice(1).some(({ value }) => value === '-1') ||
    operands.includes('1') ||
    operands.includes('0');
  const onlyAll = call.program === 'kill' && call.args.length === 1 && call.args[0]?.value === '-1';
  if (call.program === 'kill' && !everything && !onlyAll && call.args[0]?.value === '-l') return [];
  const message =
    everything || onlyAll
      ? 'It kills every process that it can reach.'
      : `${call.program} ends processes that this line did not start.`;
  return [danger('dangerous.kill', message, call)];
}

/** Tools that connect a shell or a file with another machine. */
function networkShell(call: Call): Finding[] {
  const { program, args } = call;
  if (
    /^(nc|ncat|netcat|nc\.\w+|socat|telnet|rlogin|cryptcat|pwncat|chisel|ngrok|cloudflared|msfconsole|msfvenom)$/.test(
      program,
    )
  ) {
    return [danger('dangerous.network_shell', `${program} opens a connection to another machine.`, call)];
  }
  const uploads =
    program === 'curl' &&
    args.some(({ value }) => /^(-[A-Za-z]*[dFT]|--data.*|--form|--upload-file|--config|-K)/.test(value));
  const file = args.find(({ value }) => /(^|=)@/.test(value) || /^--post-file|^--body-file/.test(value));
  if ((uploads && file !== undefined) || (program === 'wget' && file !== undefined)) {
    return [danger('dangerous.network_shell', `${program} sends a file to another machine.`, call, file)];
  }
  if (
    /^(python[\d.]*|perl|ruby|php|node|lua)$/.test(program) &&
    args.some(({ value }) => /socket|pty\.spawn|\/dev\/tcp|TCPSocket|fsockopen/i.test(value))
  ) {
    return [danger('dangerous.network_shell', 'The code opens a network connection.', call)];
  }
  return [];
}
