// One trial of a takeover: a call whose server is killed or stopped at a point, the same call at the other server under the same key, and
// what must hold afterwards.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { kinds } from './kills-kinds.mjs'
import { tellStory } from './kills-story.mjs'
import { check } from './kills-trial.mjs'
import { untilRole } from './takeover-pair.mjs'

/** A call that nothing strikes, with the points that it came to. */
export async function alone(pair, { kind, key }) {
  const { leader, world } = pair
  const body = { ...(await kinds[kind].input(world, leader.server)), idempotencyKey: key }
  await leader.server.arm(null)
  const answer = await untilEnded(leader, kind, body)
  if (!answer.ok)
    throw new Error(`${kind} that nothing struck ended with ${answer.error.code}: ${answer.error.message}`)
  const points = await leader.server.arm(null)
  await untilQuiet(world)
  return { points }
}

/** SIGKILL to the leader; it starts again as a follower of the one that took over. */
export async function kill(pair, trial) {
  const begun = await begin(pair, trial, 'SIGKILL')
  const struck = pair.leader
  if ((await begun.pending) !== null) return unstruck(pair, trial, begun)
  const struckAt = performance.now()
  const result = await takeOver(pair, trial, begun, struckAt)
  struck.server = await struck.start()
  await untilRole(struck, 'follower')
  return judge(pair, trial, { ...begun, ...result })
}

/** SIGSTOP to the leader until the other has done the call, then SIGCONT: from then on it must sign and send nothing. */
export async function freeze(pair, trial) {
  const begun = await begin(pair, trial, 'SIGSTOP')
  const struck = pair.leader
  const { pid } = struck.server
  if ((await Promise.race([begun.pending.then(() => 'answered'), untilStopped(pid)])) === 'answered') {
    return unstruck(pair, trial, begun)
  }
  const struckAt = performance.now()
  const result = await takeOver(pair, trial, begun, struckAt)
  await untilQuiet(pair.world)
  const before = { offers: struck.offers(), ...(await written(pair.world)) }
  process.kill(pid, 'SIGCONT')
  await begun.pending
  await untilRole(struck, 'follower')
  await untilQuiet(pair.world)
  const after = { offers: struck.offers(), ...(await written(pair.world)) }
  const odd = []
  // What stood between the look at its lease and the wire goes out: bytes that the journal has, and the other may have sent as well.
  const echoes = after.offers - before.offers
  if (echoes > (trial.point.label.includes('eth_sendRawTransaction') ? 1 : 0))
    odd.push(`it offered bytes ${echoes} times`)
  for (const name of ['nonce', 'next']) {
    if (after[name] !== before[name]) odd.push(`${name} went from ${before[name]} to ${after[name]} when it went on`)
  }
  const judged = await judge(pair, trial, { ...begun, ...result })
  return { ...judged, echoes, problems: { ...judged.problems, other: [...judged.problems.other, ...odd] } }
}

async function begin({ leader, world }, { kind, key, point }, signal) {
  const before = { nonce: await world.nonce(), spent: await world.spent() }
  const body = { ...(await kinds[kind].input(world, leader.server)), idempotencyKey: key }
  await leader.server.arm({ ...point, signal })
  return { before, body, pending: leader.server.call(kinds[kind].tool, body) }
}

/** The call ended before it came to the point. */
async function unstruck(pair, { kind }, { before, body }) {
  await pair.leader.server.arm(null)
  const last = await untilEnded(pair.leader, kind, body)
  await untilQuiet(pair.world)
  const problems = await check({ ...pair.world, audit: pair.leader.audit }, { kind, before, last })
  return { wasStruck: false, problems, story: [], answer: answerOf(last) }
}

async function takeOver(pair, { kind }, { body }, struckAt) {
  ;[pair.leader, pair.follower] = [pair.follower, pair.leader]
  const since = () => Math.round(performance.now() - struckAt)
  const leads = untilRole(pair.leader, 'leader').then(since)
  leads.catch(() => undefined)
  await pair.leader.server.arm(null)
  const last = await untilEnded(pair.leader, kind, body)
  const doneMs = since()
  return { last, doneMs, leadsMs: await leads }
}

async function judge(pair, { kind }, { before, last, leadsMs, doneMs }) {
  const { world, nodes, leader } = pair
  await untilQuiet(world)
  const problems = await check({ ...world, audit: leader.audit }, { kind, before, last })
  if (!last.ok && (mayEndYet.has(last.error.code) || last.error.code === 'NEVER_ENDED')) {
    problems.open.push(`it ended with ${last.error.code}: ${last.error.message}`)
  }
  for (const node of nodes) {
    const { broken } = await node.audit()
    if (broken !== null) problems.other.push(`line ${broken.line} of ${broken.file} of ${node.name} ${broken.how}`)
    const strange = await world.unjournalled([...node.proxy.rawTransactions().keys()])
    if (strange.length > 0) problems.other.push(`${node.name} sent ${strange.length} that the journal does not hold`)
  }
  const holds = Object.values(problems).every((list) => list.length === 0)
  const told = { from: before.nonce, heard: [], lastWords: nodes.map(({ server }) => server.lastWords()).join('\n') }
  const story = holds ? [] : await tellStory({ ...world, dataDir: leader.dataDir }, told)
  return { wasStruck: true, problems, story, leadsMs, doneMs, answer: answerOf(last) }
}

/** Calls again while the server says that it may help. */
async function untilEnded({ server, name }, kind, body) {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await sleep(25)) {
    const answer = await server.call(kinds[kind].tool, body)
    if (answer === null) throw new Error(`Server ${name} was killed and should not have been.`)
    if (answer.ok || answer.error.retryable !== true) {
      if (answer.ok || !mayEndYet.has(answer.error.code)) return answer
    }
  }
  return { ok: false, error: { code: 'NEVER_ENDED', message: '', retryable: true } }
}

/** The same call under the same key hears what became of it. */
const mayEndYet = new Set(['TRANSACTION_PENDING', 'OPERATION_IN_DOUBT', 'OPERATION_INCOMPLETE'])

async function untilQuiet(world) {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(50)) {
    if ((await world.isQuiet()) && (await world.standing()).length === 0) return
  }
}

async function written({ store, devnet, wallet, nonce }) {
  return { nonce: await nonce(), next: await store.journal.nextNonce(devnet.chainId, wallet) }
}

async function untilStopped(pid) {
  while (!/\) [Tt] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(5)
  return 'stopped'
}

function answerOf(last) {
  return last.ok ? 'done' : last.error.code
}
