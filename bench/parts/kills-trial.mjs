// One trial: a call whose server is killed at a point, a new server, the same call again under the same key, and what must
// hold afterwards between answers, journal, ledger, audit log and chain.
import { setTimeout as sleep } from 'node:timers/promises'
import { headOff, nonceOff, otherChain, receiptsHidden } from '../../packages/devnet/dist/services/fault-proxy.js'
import { kinds } from './kills-kinds.mjs'
import { startKillable } from './kills-child.mjs'
import { tellStory } from './kills-story.mjs'
import { isGasOf, worthUsdMicros } from './kills-world.mjs'

/** Faults of an endpoint on a bad day. */
const badDay = [
  { fault: { kind: 'status', status: 503 }, chance: 0.04 },
  { fault: { kind: 'status', status: 429, retryAfterSeconds: 1 }, chance: 0.03 },
  { fault: { kind: 'reset', forwarded: false }, chance: 0.04 },
  { fault: { kind: 'reset', forwarded: true }, chance: 0.06 },
  { fault: { kind: 'truncated' }, chance: 0.04 },
  { fault: { kind: 'html' }, chance: 0.03 },
]

/** What it may do besides: keep silent, and say what is not so, of another chain, of time, of counts, of receipts. */
const lies = [
  { fault: { kind: 'stall' }, chance: 0.01 },
  { fault: otherChain(1), chance: 0.03 },
  { fault: headOff(-3_600), chance: 0.03 },
  { fault: headOff(3_600), chance: 0.03 },
  { fault: nonceOff(1), chance: 0.05 },
  { fault: nonceOff(-1), chance: 0.05 },
  { fault: receiptsHidden(), chance: 0.2 },
]

/**
 * Runs a trial on `running.server` (started when there is none) and leaves the server of the retry behind for the next.
 * `wasKilled` is false when the call ended before it came to the point.
 */
export async function runTrial(world, running, trial) {
  const { kind, point, key, withFaults, withLies = false, reorgDepth } = trial
  const confirmations = reorgDepth > 0 ? 5 : 1
  // A point may be come to by what a server does beside a call, before it is told that it no longer counts.
  if (running.confirmations !== confirmations || running.server?.isGone()) await stopServer(running)
  running.confirmations = confirmations
  const heard = createHearing()
  const miner = reorgDepth > 0 ? mineSteadily(world) : null
  try {
    running.server ??= await startAgain(world, running, heard)
    const before = { nonce: await world.nonce(), spent: await world.spent() }
    const body = { ...(await kinds[kind].input(world, running.server)), idempotencyKey: key }
    await running.server.arm(point)
    if (withFaults) world.proxy.setRules(withLies ? [...badDay, ...lies] : badDay)
    const ready = []
    const outage = trial.databaseDies === 'during' ? dieSoon(world, trial.afterMs) : null
    const last = await untilEnded(world, running, { ...trial, body, ready, outage, miner, heard, from: before.nonce })
    await outage
    if (last.why !== undefined) return { isVoid: true, why: last.why }
    const points = await running.server.arm(null)
    world.proxy.setRules([])
    await untilQuiet(world, running, trial.endsBy, heard)
    const problems = await check(world, { kind, before, last })
    const end = isOpen(last) ? await endOf(world, running, { ...trial, body, miner, heard, problems, before }) : last
    const holds = Object.values(problems).every((list) => list.length === 0)
    const lastWords = heard.lastWords() + running.server.lastWords()
    const story = holds ? [] : await tellStory(world, { from: before.nonce, heard: heard.answers, lastWords })
    return { wasKilled: ready.length > 0, ready, points, problems, story, answer: end.ok ? 'done' : end.error.code }
  } finally {
    world.proxy.setRules([])
    await miner?.stop()
  }
}

export async function stopServer(running) {
  await running.server?.stop()
  running.server = null
}

/**
 * Calls again while the server was killed on the way or says that it may help. The bad day ends after the third call. How
 * often that takes depends on the machine, so only time ends it, and far more than any call is expected to need.
 */
async function untilEnded(world, running, trial) {
  const { kind, body, reorgDepth, killAtStart, databaseDies, ready, outage, miner, heard, from } = trial
  const deadline = performance.now() + longestCallMs
  for (let calls = 0; performance.now() < deadline; calls += 1) {
    if (calls === 3) world.proxy.setRules([])
    const answer = await running.server.call(kinds[kind].tool, body)
    heard.note(answer)
    if (answer === null) {
      heard.keep(running.server.lastWords())
      // A server does not start without its database; who runs it starts it again.
      await outage
      const why = reorgDepth > 0 ? await miner.between(() => reorg(world, reorgDepth, from)) : null
      if (why !== null) return { ok: false, why }
      if (databaseDies === 'with') await world.database.dies()
      running.server = await startAgain(world, running, heard, killAtStart)
      ready.push(running.server.readyAfter)
      // What was armed for the start and was not come to there must not strike later.
      await running.server.arm(null)
    } else if (answer.ok || answer.error.retryable !== true) {
      return answer
    } else {
      await sleep(250)
    }
  }
  return { ok: false, error: { code: 'NEVER_ENDED', retryable: true } }
}

const longestCallMs = 180_000

/** An answer that leaves open what became of something that was sent, or what is still to be done. */
function isOpen({ ok, error }) {
  return !ok && openCodes.has(error.code)
}

const openCodes = new Set([
  'OPERATION_IN_DOUBT',
  'OPERATION_INCOMPLETE',
  'TRANSACTION_PENDING',
  'HARVEST_PARTIAL_FAILURE',
])

/** Once nothing is out any more, the same call under the same key is answered with what became of it, or done. */
async function endOf(world, running, trial) {
  const { kind, endsBy, heard, problems, before } = trial
  const undisturbed = { reorgDepth: 0, killAtStart: null, databaseDies: null, outage: null, ready: [] }
  const last = await untilEnded(world, running, { ...trial, ...undisturbed, from: before.nonce })
  await untilQuiet(world, running, endsBy, heard)
  for (const [name, list] of Object.entries(await check(world, { kind, before, last }))) problems[name].push(...list)
  if (isOpen(last)) problems.open.push(`it came to no definite end: ${last.error.code}: ${last.error.message}`)
  return last
}

/** Keeps what was answered when, equal answers in a row once, and what servers that died had said. */
function createHearing() {
  const startedAt = performance.now()
  const answers = []
  let words = ''
  return {
    answers,
    note(answer) {
      const text = answer === null ? 'killed' : answer.ok ? 'done' : `${answer.error.code}: ${answer.error.message}`
      const before = answers.at(-1)
      if (before?.text === text) before.times += 1
      else answers.push({ atMs: performance.now() - startedAt, text, times: 1 })
    },
    keep: (said) => void (words = (words + said).slice(-20_000)),
    lastWords: () => words,
  }
}

async function startAgain(world, running, heard, killAtStart = null) {
  const settings = world.settings(running.confirmations)
  for (let tries = 1; ; tries += 1) {
    try {
      const server = killAtStart === null ? null : await startKillable(world.program, settings, killAtStart)
      return server ?? (await startKillable(world.program, settings))
    } catch (error) {
      // As whoever runs it would: the database may not have let go of the one before on a machine that is busy.
      heard.note({ ok: false, error: { code: 'NOT_STARTED', message: error.message } })
      if (tries === mostStarts) throw error
      await sleep(1_000)
    }
  }
}

const mostStarts = 5

/**
 * Until nothing is open: what a kill left is ended at the start, before the next write, or by the sweeper every ten
 * seconds. Most trials start once more instead of waiting for that one.
 */
async function untilQuiet(world, running, endsBy, heard) {
  const isQuiet = async () => (await world.isQuiet()) && (await world.standing()).length === 0
  const deadline = performance.now() + 120_000
  let patientUntil = performance.now() + 1_000
  while (!(await isQuiet()) && performance.now() < deadline) {
    if (running.server.isGone() || (endsBy === 'start' && performance.now() > patientUntil)) {
      heard.keep(running.server.lastWords())
      await stopServer(running)
      running.server = await startAgain(world, running, heard)
      patientUntil = performance.now() + 1_000
    }
    await sleep(50)
  }
}

/** What does not hold between answer, chain, journal, ledger and audit log. */
export async function check(world, { kind, before, last }) {
  const { isEffect, exposedUsdMicros = 0n, worth = worthUsdMicros, before: parts = {} } = kinds[kind]
  const problems = { duplicates: [], lost: [], open: [], gaps: [], ledger: [], other: [] }
  const nonce = await world.nonce()
  const transactions = await world.transactions(before.nonce, nonce)
  const effects = transactions.filter((transaction) => isEffect(transaction, world))
  if (effects.length > 1)
    problems.duplicates.push(`${effects.length} effects: ${effects.map(({ hash }) => hash).join(' ')}`)
  if (last.ok && effects.length === 0) problems.lost.push('it answered success, and the chain has no effect')
  if (last.ok && effects.length === 1 && effects[0].hash !== last.data.txHash) {
    problems.lost.push(`it named ${last.data.txHash}, the effect is ${effects[0].hash}`)
  }
  if (!last.ok) problems.lost.push(...whatAnErrorHides(last.error, effects))
  for (const [name, isPart] of Object.entries(parts)) {
    const done = transactions.filter((transaction) => isPart(transaction, world))
    if (done.length > 1)
      problems.duplicates.push(`${done.length} of ${name}: ${done.map(({ hash }) => hash).join(' ')}`)
    if (last.ok && !done.every(({ hash }) => last.data.transactions.includes(hash)))
      problems.lost.push(`it does not name its ${name}`)
    if (last.ok && done.length === 0) problems.lost.push(`it answered success, and the chain has no ${name}`)
    if (!last.ok) problems.lost.push(...whatAnErrorHides(last.error, done))
  }
  if (!(await world.isQuiet())) problems.lost.push('something is still open long after the end')
  if ((await world.pendingNonce()) !== nonce) problems.gaps.push('the pool waits for a nonce')
  for (const { nonce, what } of transactions) {
    if (what === 'foreign' || what === 'twice') problems.gaps.push(`nonce ${nonce} is ${what}`)
  }
  const moved = worth(transactions) + exposedUsdMicros * BigInt(effects.length)
  const spent = await world.spent()
  const counted = spent.usdMicros - before.spent.usdMicros
  if (counted !== moved) problems.ledger.push(`the ledger counts ${counted}, the chain moved ${moved}`)
  const gas = spent.gasUsdMicros - before.spent.gasUsdMicros
  if (!isGasOf(transactions, gas))
    problems.ledger.push(`the ledger counts ${gas} of gas, which the receipts contradict`)
  const standing = await world.standing()
  if (standing.length > 0) problems.other.push(`allowances stand: ${standing.join(', ')}`)
  const { broken } = await world.audit()
  if (broken !== null) problems.other.push(`line ${broken.line} of the audit log ${broken.how}`)
  const strange = await world.unjournalled([...world.proxy.rawTransactions().keys()])
  if (strange.length > 0) problems.other.push(`${strange.length} transactions were sent that the journal does not hold`)
  return problems
}

/** A caller must be able to find an effect: codes that say "nothing happened" with one, or none of the hashes, lose it. */
function whatAnErrorHides({ code, details = [] }, effects) {
  if (code === 'NEVER_ENDED') return ['the call came to no end']
  const named = new Set(details.map(({ txHash }) => txHash))
  return effects.filter(({ hash }) => !named.has(hash)).map(({ hash }) => `${code} does not name the effect ${hash}`)
}

/** The database dies under the call, and is back some hundred milliseconds later. */
async function dieSoon(world, afterMs) {
  await sleep(afterMs)
  await world.database.dies()
}

/** A block every so often, so that confirmations come. It rests while blocks are taken away: both at once confuse anvil. */
function mineSteadily(world) {
  const steady = { isOn: true, last: Promise.resolve() }
  const done = (async () => {
    while (steady.isOn) {
      await inTurn(steady, () => world.chain.mine({ blocks: 1 })).catch(() => undefined)
      await sleep(60)
    }
  })()
  return {
    between: (work) => inTurn(steady, work),
    async stop() {
      steady.isOn = false
      await done
    },
  }
}

function inTurn(steady, work) {
  const done = steady.last.then(work)
  steady.last = done.catch(() => undefined)
  return done
}

/**
 * Takes the newest blocks away, and with them every transaction in them; says how the chain contradicts itself then, or
 * `null`. What the dead server had sent is let in first, and the clock is put back, for anvil lets it fall behind by the
 * age of the newest block that stays.
 */
async function reorg(world, depth, from) {
  const { chain } = world
  const deadline = performance.now() + 5_000
  while ((await chain.getTxpoolStatus()).pending > 0 && performance.now() < deadline) await chain.mine({ blocks: 1 })
  await chain.request({ method: 'anvil_reorg', params: [depth, []] })
  await chain.request({ method: 'evm_setTime', params: [Math.floor(Date.now() / 1_000)] })
  return world.contradiction(Math.max(0, from - 5))
}
