import { createServer } from 'node:net'

/**
 * The port a flag asks for, 0 being any free one; without the flag `usual` when it is free on loopback, else any. Throws
 * when the port asked for cannot be had, naming the flag.
 */
export async function choosePort(flag: string, asked: number | undefined, usual: number): Promise<ChosenPort> {
  const port = asked ?? usual
  if (port === 0) return { port, taken: null }
  const obstacle = await obstacleTo(port)
  if (obstacle === null) return { port, taken: null }
  if (asked === undefined) return { port: 0, taken: usual }
  const reason = obstacle === 'EADDRINUSE' ? 'another program listens there' : `the system refuses it (${obstacle})`
  throw new Error(`${flag} ${port} cannot be had: ${reason}. Choose another, or 0 for any free one.`)
}

/** 0 is any free one; `taken` the usual one where it could not be had. */
export type ChosenPort = { readonly port: number; readonly taken: number | null }

/** The system's code for why nothing can listen on this port of loopback. */
function obstacleTo(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(null)))
  })
}
