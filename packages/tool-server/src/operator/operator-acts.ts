import { randomBytes, createHash } from 'node:crypto'
import { ToolError } from '@svc/amm'
import type { OperatorAccess } from '@svc/engine/open'
import { passkeyOf, type Policy } from '@svc/engine/policy'
import * as z from 'zod'
import { createNonces, type Nonces } from '../auth/sign-in/nonces.ts'
import {
  carryOutDecision,
  challengeOf,
  decisionSchema,
  type Assertion,
  assertionSchema,
  isConfirmed,
} from './operator-decision.ts'

/** What operators do from afar, by the path that a script of the page asks at: sign in, ask for a challenge of one decision, and confirm it. */
export function createOperatorActs(options: OperatorActsOptions): OperatorActs {
  const { origin, now } = options
  const place: Place = {
    ...options,
    rpId: new URL(origin).hostname,
    sessions: createOperatorSessions(now),
    nonces: createNonces({ secret: randomBytes(32).toString('hex'), place: () => origin, now }),
    used: createUsed(now),
  }
  return {
    find: (token) => findSession(token, place),
    acts: {
      '/operator/challenge': async () => challenge(place.nonces.issue().nonce, place),
      '/operator/sign-in': (body) => signIn(body, place),
      '/operator/ask': (body, token) => ask(body, token, place),
      '/operator/decide': (body, token) => decide(body, token, place),
      '/operator/sign-out': async (_body, token) => {
        if (token !== null) place.sessions.end(token)
        return { ...json({}), token: { value: '', seconds: 0 } }
      },
    },
  }
}

export type OperatorActs = {
  /** The session of somebody whom the policy still names; `null` for anybody else. */
  find(token: string | null): Promise<OperatorSession | null>
  readonly acts: Readonly<Record<string, (body: unknown, token: string | null) => Promise<OperatorAnswer>>>
}

export type OperatorAnswer = {
  readonly type: 'text/html' | 'text/css' | 'text/javascript' | 'application/json'
  readonly body: string
  /** What the browser is to hold from now on; empty to forget it. */
  readonly token?: { readonly value: string; readonly seconds: number }
}

export type OperatorActsOptions = {
  /** Where operators reach the page over https. */
  readonly origin: string
  readonly policies: { latest(): Pick<Policy, 'operators'>; current(): Promise<Pick<Policy, 'operators'>> }
  readonly access: OperatorAccess
  /** Unix milliseconds. */
  readonly now: () => number
}

type Place = OperatorActsOptions & {
  /** The party for which passkeys are made. */
  readonly rpId: string
  readonly sessions: OperatorSessions
  readonly nonces: Nonces
  readonly used: ReturnType<typeof createUsed>
}

/** A policy that is broken keeps those whom it named: they see that it is. */
async function findSession(token: string | null, { sessions, policies }: Place): Promise<OperatorSession | null> {
  const session = token === null ? null : sessions.find(token)
  if (session === null) return null
  const policy = await policies.current().catch(() => policies.latest())
  return holderOf(policy, session.passkey)?.operator === session.operator ? session : null
}

async function requireSession(token: string | null, place: Place): Promise<OperatorSession> {
  const session = await findSession(token, place)
  if (session === null) throw signInFirst()
  return session
}

function challenge(nonce: string, { rpId }: Place): OperatorAnswer {
  return json({ challenge: inBase64url(nonce), rpId, passkeys: [] })
}

async function signIn(body: unknown, place: Place): Promise<OperatorAnswer> {
  const { origin, nonces, used, policies, sessions, access, now } = place
  const assertion = parse(assertionSchema, body)
  const nonce = nonceIn(assertion)
  const endsAt = nonce === null ? null : nonces.expiryOf(nonce)
  if (nonce === null || endsAt === null || endsAt <= now()) throw notConfirmed()
  const holder = holderOf(await policies.current(), assertion.id)
  if (holder === null) throw notConfirmed()
  if (!isConfirmed(assertion, { key: holder.key, challenge: inBase64url(nonce), origin })) throw notConfirmed()
  if (!used.take(nonce, endsAt)) throw notConfirmed()
  const { operator } = holder
  const actor = { principal: `operator:${operator}`, stage: 'passkey' }
  await access.audit({ event: 'operator.signed-in', actor, passkey: assertion.id })
  const value = sessions.begin(operator, assertion.id)
  return { ...json({ operator }), token: { value, seconds: sessionMs / 1_000 } }
}

/** One question of a session stands at a time. */
async function ask(body: unknown, token: string | null, place: Place): Promise<OperatorAnswer> {
  const session = await requireSession(token, place)
  const decision = parse(decisionSchema, body)
  const nonce = randomBytes(32).toString('base64url')
  session.asked = { nonce, endsAt: place.now() + answerMs }
  const { origin, rpId } = place
  return json({
    challenge: challengeOf(decision, { by: byOf(session), origin, nonce }),
    rpId,
    passkeys: [session.passkey],
  })
}

/** Who decides stands in the policy as it is now; while that is broken nobody does. */
async function decide(body: unknown, token: string | null, place: Place): Promise<OperatorAnswer> {
  const { origin, policies, access, now } = place
  const session = await requireSession(token, place)
  const { asked } = session
  // Whatever comes of it, the question is answered.
  session.asked = null
  const { decision, assertion } = parse(decided, body)
  if (asked === null || asked.endsAt <= now()) throw notConfirmed()
  const holder = holderOf(await policies.current(), assertion.id)
  if (holder === null || holder.operator !== session.operator) throw notConfirmed()
  const by = byOf(session)
  const expected = challengeOf(decision, { by, origin, nonce: asked.nonce })
  if (!isConfirmed(assertion, { key: holder.key, challenge: expected, origin })) throw notConfirmed()
  return json({ message: await carryOutDecision(decision, { access, by, now }) })
}

const decided = z.strictObject({ decision: decisionSchema, assertion: assertionSchema })

/** Time to read what the device shows. */
const answerMs = 120_000

/** As the engine's channel for operators names who decided. */
function byOf({ operator }: OperatorSession): string {
  return `operator:${operator}`
}

/** Whose passkey this is, and its key. */
function holderOf({ operators }: Pick<Policy, 'operators'>, id: string) {
  for (const [operator, { passkeys }] of Object.entries(operators)) {
    const passkey = passkeys.find((one) => one.id === id)
    const key = passkey === undefined ? null : passkeyOf(passkey.publicKey)
    if (key !== null) return { operator, key }
  }
  return null
}

/** The nonce that a sign-in says it signed, as we issue them; whether it did is asked afterwards. */
function nonceIn({ clientData }: Assertion): string | null {
  try {
    const said: unknown = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8'))
    const { challenge } = z.looseObject({ challenge: z.string().max(256) }).parse(said)
    return Buffer.from(challenge, 'base64url').toString('hex')
  } catch {
    return null
  }
}

function inBase64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url')
}

/** Nonces that opened a session, until they would end anyway. */
function createUsed(now: () => number) {
  const until = new Map<string, number>()
  return {
    take(nonce: string, endsAt: number): boolean {
      for (const [one, end] of until) if (end <= now()) until.delete(one)
      if (until.has(nonce)) return false
      until.set(nonce, endsAt)
      return true
    },
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new ToolError('VALIDATION_FAILED', 'This is no decision of the operator page.')
}

function notConfirmed(): ToolError {
  const suggestion = 'Ask for it anew, and confirm it with a passkey that the policy names.'
  return new ToolError('SIGN_IN_REFUSED', 'No passkey of an operator has confirmed just this. Nothing was done.', {
    suggestion,
  })
}

/** For what is shown, and done, for operators alone. */
export function signInFirst(): ToolError {
  return new ToolError('AUTHENTICATION_REQUIRED', 'Sign in on the operator page first.')
}

export function json(value: unknown): OperatorAnswer {
  return { type: 'application/json', body: JSON.stringify(value) }
}

/**
 * Who is signed in to the page, in the memory of this process: a browser holds a token, the server its digest. A session lets somebody look;
 * what is decided in it is confirmed by a passkey each time.
 */
export function createOperatorSessions(now: () => number, lastsMs = sessionMs): OperatorSessions {
  const open = new Map<string, OperatorSession>()
  const drop = () => {
    for (const [digest, { endsAt }] of open) if (endsAt <= now()) open.delete(digest)
  }
  return {
    begin(operator, passkey) {
      drop()
      const [oldest] = open.keys()
      if (open.size >= mostOpen && oldest !== undefined) open.delete(oldest)
      const token = randomBytes(32).toString('base64url')
      open.set(digestOf(token), { operator, passkey, endsAt: now() + lastsMs, asked: null })
      return token
    },
    find(token) {
      drop()
      return open.get(digestOf(token)) ?? null
    },
    end: (token) => void open.delete(digestOf(token)),
  }
}

type OperatorSessions = {
  /** Gives the token that the browser is to hold. */
  begin(operator: string, passkey: string): string
  find(token: string): OperatorSession | null
  end(token: string): void
}

type OperatorSession = {
  /** As the policy names them. */
  readonly operator: string
  /** The id of the passkey that they signed in with. */
  readonly passkey: string
  /** Unix milliseconds. */
  readonly endsAt: number
  /** The challenge that stands for the one decision that is being asked for; it is taken away when it is answered. */
  asked: { readonly nonce: string; readonly endsAt: number } | null
}

/** An hour. */
const sessionMs = 3_600_000
/** Operators alone open them. */
const mostOpen = 64

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
