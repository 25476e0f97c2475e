import { readdirSync, readFileSync } from 'node:fs'

/** The command lines of the processes in a group that are still alive. Linux: read from /proc. */
export function livingMembers(group) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        if (Number(pgrp) !== group || state === 'Z') return []
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()]
      } catch {
        return []
      }
    })
}

/** Kills whatever is left of a group. */
export function endGroup(group) {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // nothing of it is alive
  }
}
