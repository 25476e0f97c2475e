import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Keeps what is in the memory of this process, keys among it, out of files: no diagnostic report, and on Linux no core dump, however
 * the process ends. Node cannot set limits of its own process, so where the system would dump it has `prlimit` do it; should that
 * be missing, a dump is left without any of the memory. Gives what is still to be done, or `null`.
 */
export function forbidDumps(): string | null {
  Object.assign(process.report, { reportOnFatalError: false, reportOnSignal: false, reportOnUncaughtException: false })
  // Other systems write none unless whoever starts the process asks for it.
  if (process.platform !== 'linux' || !wouldDump()) return null
  attempt(() => writeFileSync('/proc/self/coredump_filter', '0'))
  // Not 0: where dumps go to a program, the kernel takes 1 for none, and 0 for any.
  attempt(() => execFileSync('prlimit', [`--pid=${process.pid}`, '--core=1:1'], { stdio: 'ignore', timeout: 5_000 }))
  if (!wouldDump()) return null
  return 'A crash may leave a core dump, without the memory of the process: prlimit (util-linux) is missing. Start it under ulimit -c 0.'
}

/** A file is made where the limit is as large as a page of memory; a program hears of any limit but 1. */
function wouldDump(): boolean {
  const limit =
    attempt(() => /^Max core file size\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) ?? '0'
  if (limit === '1') return false
  const goesToProgram = attempt(() => readFileSync('/proc/sys/kernel/core_pattern', 'utf8').startsWith('|')) ?? false
  return goesToProgram || limit === 'unlimited' || Number(limit) >= smallestDump
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const smallestDump = 4_096
