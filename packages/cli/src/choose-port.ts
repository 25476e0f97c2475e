import { createServer } from 'node:net'

/**
 * The port a flag asks for, 0 being any free one; without the flag `usual` when it is free on loopback, else any. Throws
 * when the port asked for cannot be had, naming the flag.
 */
export async function choosePort(flag: string, asked: number | undefined, usual: number): Promise<ChosenPort> {
  const wish = { flag, asked, usual }
  const port = asked ?? usual
  if (port === 0) return { ...wish, port, taken: null }
  const obstacle = await obstacleTo(port)
  if (obstacle === null) return { ...wish, port, taken: null }
  if (asked === undefined) return { ...wish, port: 0, taken: usual }
  const reason = obstacle === 'EADDRINUSE' ? 'another program listens there' : `the system refuses it (${obstacle})`
  throw new Error(`${flag} ${port} cannot be had: ${reason}. Choose another, or 0 for any free one.`)
}

/**
 * Starts what listens on a port that was chosen a while ago, or, where another program has taken that meanwhile, on one that is
 * chosen anew. Throws what `start` throws where the port is not why, and as `choosePort` does.
 */
export async function startOnPort<T>(
  chosen: ChosenPort,
  start: (port: number) => Promise<T>,
): Promise<{ readonly started: T; readonly taken: number | null }> {
  try {
    return { started: await start(chosen.port), taken: chosen.taken }
  } catch (error) {
    const { port, taken } = await choosePort(chosen.flag, chosen.asked, chosen.usual)
    if (port === chosen.port) throw error
    return { started: await start(port), taken }
  }
}

type ChosenPort = {
  /** 0 is any free one. */
  readonly port: number
  /** The usual one where it could not be had. */
  readonly taken: number | null
  readonly flag: string
  readonly asked: number | undefined
  readonly usual: number
}

/** One that is free now, for what has to know its port before it listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** The system's code for why nothing can listen on this port of loopback. */
function obstacleTo(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(null)))
  })
}
