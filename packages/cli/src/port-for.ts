import { createServer } from 'node:net'

/** The port asked for; without one `usual` when it is free on loopback, else 0, which stands for any free port. */
export async function portFor(asked: number | undefined, usual: number): Promise<number> {
  if (asked !== undefined) return asked
  return (await isFree(usual)) ? usual : 0
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
