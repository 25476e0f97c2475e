// What the credentials of a call cost: server CPU of the same tools/call by each kind, beside that with the static bearer token in the same
// round; and what a sign-in costs by itself.
import { renewedAfterMs } from './auth-world.mjs'
import { figure, median } from './figure.mjs'
import { drive } from './load.mjs'
import { modernHeaders, modernMessage } from './mcp-messages.mjs'
import { sized } from './size.mjs'

const rounds = sized(9)
const calls = sized(400, 40)
const signIns = sized(60, 3)
const bar = 1.15
const params = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }
const base = 'static bearer'

export async function credentialFigures({ server, credentials }, report) {
  let [all, renewAt] = [await credentials(), performance.now() + renewedAfterMs]
  const micros = Object.fromEntries(Object.keys(all).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    if (performance.now() >= renewAt) [all, renewAt] = [await credentials(), performance.now() + renewedAfterMs]
    for (const [name, fields] of Object.entries(all)) {
      const headers = { ...modernHeaders('tools/call', params), ...fields }
      const before = await server.cpuMicros()
      await drive({ port: server.port, headers, body: (id) => modernMessage(id, 'tools/call', params), calls })
      if (round > 0) micros[name].push(((await server.cpuMicros()) - before) / calls)
    }
    report(round === 0 ? 'warm-up done' : `credentials: round ${round} of ${rounds}`)
  }
  const reference = `the same with the static bearer token in the same round, ${median(micros[base]).toFixed(0)} us`
  const ofBearer = (name) => median(micros[name].map((value, index) => value / micros[base][index]))
  return Object.keys(all)
    .filter((name) => name !== base)
    .map((name) =>
      figure({ name: `tools/call with ${article(name)}, CPU`, value: ofBearer(name), unit: 'x', reference, bar }),
    )
}

export async function signInFigures({ server, proxy, signInAnew }) {
  const before = await server.cpuMicros()
  proxy.take()
  for (let index = 0; index < signIns; index += 1) await signInAnew()
  const micros = ((await server.cpuMicros()) - before) / signIns
  return [
    figure({
      name: 'sign-ins per second and core',
      value: 1e6 / micros,
      unit: '/s',
      reference: `${micros.toFixed(0)} us of server CPU each`,
    }),
    figure({
      name: 'requests to the chain per sign-in',
      value: proxy.take().length / signIns,
      unit: '',
      reference: 'a stranger with a key wallet',
      bar: 2,
    }),
  ]
}

function article(name) {
  if (name.startsWith('token')) return `the ${name}`
  return `${/^[AEO]/i.test(name) ? 'an' : 'a'} ${name}`
}
