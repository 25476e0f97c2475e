import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Settles once whoever reads has taken all that was written to the streams, however long that takes, or a second after the
 * process was asked to end: a pipe holds 64 KiB, and what is still behind it goes with the process. `stopped` is absent
 * where a signal ends the process by itself.
 */
export async function untilWritten(streams: readonly NodeJS.WritableStream[], stopped?: Promise<unknown>) {
  const written = Promise.all(
    streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  )
  const given = stopped === undefined ? [] : [stopped.then(() => sleep(patienceMs, undefined, { ref: false }))]
  await Promise.race([written, ...given])
}

const patienceMs = 1_000
