// The server as it ships, in a process that ends itself at a point its parent names. Says over IPC where it listens and
// how long that took, and after that arms points and tells which it came to.
import { randomBytes } from 'node:crypto'

// By a name known at run time only: the points are outside the bundle, around what the bundle uses.
const { arm, tracedPoints } = await import(process.env.CRASH_POINTS)

arm(JSON.parse(process.env.POINT ?? 'null'))
const { openServer, provisionKeys, readConfig } = await import('@svc/tool-server')
const settings = JSON.parse(process.env.SETTINGS)
const key = provisionKeys(readConfig(settings), randomBytes).write.reveal()
const server = await openServer(readConfig(settings))
const { port } = await server.listen()
process.on('message', ({ arm: point }) => {
  const points = tracedPoints()
  arm(point)
  process.send({ points })
})
process.on('disconnect', () => process.exit())
const { bootstrapComplete } = performance.nodeTiming
const { user, system } = process.cpuUsage()
process.send({
  port,
  key,
  sinceStartMs: performance.now(),
  sinceBootMs: performance.now() - bootstrapComplete,
  cpuMs: (user + system) / 1_000,
})
