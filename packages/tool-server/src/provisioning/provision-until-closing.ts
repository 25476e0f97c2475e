import { ToolError } from '@svc/amm'
import { withinTime } from '@svc/runtime'
import type { Provision } from '../open-dispatch.ts'

/**
 * Makes no wallet for a server that closes. One whose making had begun stands in the settings for the next start: what was opened over it is
 * closed again, and nothing begins over it.
 */
export function provisionUntilClosing<Write extends { close(): Promise<void> }>(
  provision: Provision<Write>,
  closing: AbortSignal,
): UntilClosing<Write> {
  const underWay = new Set<Promise<unknown>>()
  const make: Provision<Write> = async (asked) => {
    if (closing.aborted) throw serverCloses()
    const made = await provision(asked)
    if (!closing.aborted) return made
    await made.write.close()
    throw serverCloses()
  }
  return {
    provision(asked) {
      const making = make(asked)
      underWay.add(making)
      const leave = () => void underWay.delete(making)
      making.then(leave, leave)
      return making
    },
    settled: () => withinTime<unknown>(Promise.allSettled(underWay), settledWithinMs, null),
  }
}

type UntilClosing<Write> = {
  readonly provision: Provision<Write>
  /** Waits a bounded time for what is under way. */
  settled(): Promise<unknown>
}

/** As long as closing waits for writes. */
const settledWithinMs = 10_000

function serverCloses(): ToolError {
  return new ToolError('SERVER_BUSY', 'The server is closing.')
}
