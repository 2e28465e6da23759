/** Commands that delete, overwrite, or change permissions of more than one can mean. */
import { isDiskDevice } from '../paths.js';
import type { Finding } from '../rules.js';
import { danger, hasFlag, isBroadPath, isSystemPath, operandsOf, type Call } from './common.js';

const DELETERS = new Set([
  'rm',
  'rmdir',
  'unlink',
  'del',
  'erase',
  'rd',
  'srm',
  'trash',
  'rimraf',
  'remove-item',
  'trash-put',
]);
const FORMATTERS = /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|blkdiscard|newfs|badblocks)$/;
const DISK_TOOLS =
  /^(fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|partprobe|lvremove|vgremove|pvremove|lvreduce|vgreduce|mdadm|cryptsetup|zpool|zfs|btrfs|hdparm|nvme|diskutil|mount|umount|losetup|swapoff|swapon|tune2fs|e2fsck|fsck(\..+)?|resize2fs|diskpart|format|dmsetup)$/;

export function dangerousFiles(call: Call): Finding[] {
  const { program } = call;
  if (DELETERS.has(program)) return deletes(call);
  if (program === 'dd') return copiesBlocks(call);
  if (program === 'truncate')
    return [danger('dangerous.truncate', 'truncate cuts the content of files.', call)];
  if (program === 'shred' || program === 'wipe') return shreds(call);
  if (FORMATTERS.test(program))
    return [danger('dangerous.disk_erase', `${program} erases what a device holds.`, call)];
  if (DISK_TOOLS.test(program))
    return [danger('dangerous.disk', `${program} changes disks, volumes or mounts.`, call)];
  if (/^(chmod|chown|chgrp|setfacl|chattr|chcon)$/.test(program)) return permissions(call);
  if (program === 'find' && call.args.some(({ value }) => value === '-delete')) return findDelete(call);
  if (program === 'mv' && call.args.some(({ value }) => value === '/dev/null')) {
    return [danger('dangerous.delete', 'Moving to /dev/null loses the file.', call)];
  }
  if (program === 'mv' && operandsOf(call).slice(0, -1).some(isSystemPath)) {
    return [danger('dangerous.delete_system', 'It moves a system folder or a whole home folder away.', call)];
  }
  if (program === 'rsync' && call.args.some(({ value }) => /^--(del|remove-source)/.test(value))) {
    return [danger('dangerous.delete', 'rsync deletes what the source does not have.', call)];
  }
  if (/^(tee|cp|cat|install|ddrescue|pv)$/.test(program)) return writesDevice(call);
  return [];
}

function deletes(call: Call): Finding[] {
  const recursive = call.program !== 'rm' || hasFlag(call, 'rR', '--recursive');
  const system = operandsOf(call).find(isSystemPath);
  const isAll = call.args.some(({ value }) => value.startsWith('--no-preserve'));
  if (isAll || (recursive && system !== undefined && call.program !== 'rmdir')) {
    return [
      danger('dangerous.delete_system', 'It deletes a system folder or a whole home folder.', call, system),
    ];
  }
  if (hasFlag(call, 'rRf', '--recursive', '--force') || call.program === 'rimraf') {
    return [danger('dangerous.delete', 'It deletes for good, including whole folders.', call)];
  }
  return [danger('dangerous.delete', `${call.program} deletes files.`, call)];
}

function findDelete(call: Call): Finding[] {
  const [start] = operandsOf(call);
  const filtered = call.args.some(({ value }) =>
    /^-(i?name|i?path|type|regex|mtime|size|empty|newer)/.test(value),
  );
  if (start !== undefined && isSystemPath(start) && !filtered) {
    return [
      danger(
        'dangerous.delete_system',
        'It deletes every file of the system or of a whole home folder.',
        call,
        start,
      ),
    ];
  }
  return [danger('dangerous.delete', 'find -delete removes every file that it finds.', call)];
}

function copiesBlocks(call: Call): Finding[] {
  const target = call.args.find(({ value }) => value.startsWith('of='));
  if (target !== undefined && isDiskDevice(target.value.slice(3))) {
    return [danger('dangerous.disk_erase', 'dd overwrites a device.', call, target)];
  }
  return [danger('dangerous.disk', 'dd reads and writes devices and whole files.', call, target)];
}

function shreds(call: Call): Finding[] {
  const device = operandsOf(call).find(({ value }) => isDiskDevice(value));
  if (device !== undefined) return [danger('dangerous.disk_erase', 'It overwrites a device.', call, device)];
  return [danger('dangerous.delete', `${call.program} destroys the content of files.`, call)];
}

function writesDevice(call: Call): Finding[] {
  const operands = operandsOf(call);
  const written = call.program === 'tee' ? operands : operands.slice(-1);
  const device = call.program === 'cat' ? undefined : written.find(({ value }) => isDiskDevice(value));
  return device === undefined
    ? []
    : [
        danger(
          'dangerous.device_write',
          `Writing to ${device.value} destroys what the device holds.`,
          call,
          device,
        ),
      ];
}

function permissions(call: Call): Finding[] {
  const recursive = hasFlag(call, 'R', '--recursive');
  const targets = operandsOf(call).slice(1);
  const system = targets.find(isSystemPath);
  if (recursive && system !== undefined) {
    return [
      danger(
        'dangerous.permissions_system',
        'It changes the permissions of the system or of a whole home folder.',
        call,
        system,
      ),
    ];
  }
  const broad = targets.find(isBroadPath);
  if (recursive || broad !== undefined) {
    return [
      danger(
        'dangerous.permissions',
        `${call.program} changes the permissions of everything below a folder.`,
        call,
        broad,
      ),
    ];
  }
  const open = call.args.find(({ value }) =>
    /^(0?[0-7]?[0-7]?[2367]|[ao]*\+.*[ws].*|[ugo]*\+s|[2467][0-7]{3}|a=rwx|777)$/.test(value),
  );
  if (open !== undefined && call.program === 'chmod') {
    return [
      danger('dangerous.permissions', 'It lets everyone write, or runs the file as its owner.', call, open),
    ];
  }
  return call.program === 'chmod'
    ? []
    : [danger('dangerous.permissions', `${call.program} changes who owns files or may use them.`, call)];
}
