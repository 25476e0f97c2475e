import { fstatSync, readFileSync, statSync } from 'node:fs'

/**
 * Resolves when the process is asked to end: SIGINT, SIGTERM, SIGHUP, or the death of what it must not outlive (see
 * `watchAncestry`). A second signal half a second or more after the first ends the process at once, by exit code 130;
 * npm passes a terminal's Ctrl-C on as well, so two at a time are one. Call it first: what is loaded before goes unasked.
 */
export function untilStopped(options: AncestryOptions): Promise<StopCause> {
  const isOrphaned = watchAncestry(options)
  return new Promise((resolve) => {
    let askedAt: number | null = null
    const onSignal = () => {
      if (askedAt !== null && performance.now() - askedAt >= sameRequestMs) process.exit(130)
      askedAt ??= performance.now()
      resolve('signal')
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
    setInterval(() => {
      if (isOrphaned()) resolve('orphaned')
    }, 250).unref()
  })
}

export type StopCause = 'signal' | 'orphaned'

const sameRequestMs = 500

/**
 * Remembers the processes this one must not outlive, and returns a check of whether one of them has gone: npm or npx and
 * the shell between them and us (npm hands a signal on to that shell at best); with `foreground` also whatever else
 * started us in our own process group, as a script does that waits for us. A command put into the background (its stdin is
 * /dev/null) outlives its shell.
 */
function watchAncestry({ environment, foreground }: AncestryOptions): () => boolean {
  const underNpm = environment['npm_command'] !== undefined
  const { chain, isComplete } = readAncestors(underNpm, foreground && !isInBackground())
  const [first, ...others] = chain
  if (!isComplete) return () => true
  if (first === undefined) return () => false
  return () => process.ppid !== first || others.some((pid, i) => readStat(others[i - 1] ?? first)?.parent !== pid)
}

type AncestryOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly foreground: boolean
}

type Ancestors = { readonly chain: readonly number[]; readonly isComplete: boolean }

/** From our parent upwards; not complete when we are npm's child and npm is gone already. */
function readAncestors(startedByNpm: boolean, sharesGroup: boolean): Ancestors {
  const own = readStat(process.pid)
  // Without /proc the parent has to do, and that only under npm.
  if (own === null) return { chain: startedByNpm ? [process.ppid] : [], isComplete: true }
  const chain: number[] = []
  let [pid, underNpm] = [own.parent, startedByNpm]
  while (pid > 1) {
    const stat = readStat(pid)
    if (stat === null || !(underNpm || (sharesGroup && stat.group === own.group))) break
    chain.push(pid)
    underNpm = underNpm && wasStartedByNpm(pid)
    pid = stat.parent
  }
  return { chain, isComplete: !underNpm || isNpm(pid) }
}

/** Shells hand /dev/null to what they start with `&`. */
function isInBackground(): boolean {
  try {
    return fstatSync(0).rdev === statSync('/dev/null').rdev
  } catch {
    return true
  }
}

function wasStartedByNpm(pid: number): boolean {
  return (read(`/proc/${pid}/environ`) ?? '').split('\0').some((line) => line.startsWith('npm_command='))
}

function isNpm(pid: number): boolean {
  return read(`/proc/${pid}/comm`)?.startsWith('npm') === true
}

/** Fields 4 and 5 of /proc/<pid>/stat (proc(5)); the name in field 2 may hold blanks and brackets. */
function readStat(pid: number): { readonly parent: number; readonly group: number } | null {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return fields === undefined ? null : { parent: Number(fields[1]), group: Number(fields[2]) }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
