// The front door: what the credentials of a call cost, what a sign-in costs, a call with all tools listed against a bare server in both
// protocol eras, and a thousand sessions over three transports under a limit of memory. `--minutes N` measures none of that, but what N
// minutes of mixed load leave behind.
import { callFigures } from './parts/auth-floor.mjs'
import { credentialFigures, signInFigures } from './parts/auth-calls.mjs'
import { minutesAsked, mixedLoadFigures } from './parts/auth-load.mjs'
import { sessionFigures } from './parts/auth-sessions.mjs'
import { openAuthWorld } from './parts/auth-world.mjs'
import { isSmoke } from './parts/size.mjs'

export async function run(report) {
  const minutes = isSmoke ? 0.03 : minutesAsked()
  const isLong = minutes !== null && !isSmoke
  const world = await openAuthWorld()
  const figures = []
  try {
    if (!isLong) figures.push(...(await credentialFigures(world, report)), ...(await signInFigures(world)))
    if (minutes !== null) figures.push(...(await mixedLoadFigures(world, minutes, report)))
  } finally {
    await world.close()
  }
  if (!isLong) figures.push(...(await callFigures(report)), ...(await sessionFigures(report)))
  return figures
}
