import * as fc from 'fast-check'
import { statelessRevision } from './protocol-facts.ts'

/** One POST to `/mcp` as a client, or whoever else, might send it. */
export type CorpusRequest = {
  readonly era: 'session' | 'stateless'
  /** Whose key it brings; `stranger` brings one that nobody has. */
  readonly caller: 'read' | 'feedback' | 'write' | 'bearer' | 'stranger' | 'none'
  readonly body: string
  /** Without those of the credentials; `mcp-session-id` is left to whoever sends it, where `ownSession` says so. */
  readonly headers: Readonly<Record<string, string>>
  readonly ownSession: boolean
  /** Whether it is a call that never ends, and is cancelled as soon as it has begun. */
  readonly isCancelled: boolean
}

/** So many requests, the same for the same seed: most as clients send them, the rest wrong or odd in one way or two. */
export function corpus(seed: number, size: number): readonly CorpusRequest[] {
  return fc.sample(request, { seed, numRuns: size })
}

const json = (value: unknown) => JSON.stringify(value)
const prefix = 'io.modelcontextprotocol/'

const call = (name: string, args?: unknown) => ({ name, ...(args === undefined ? {} : { arguments: args }) })
const methods = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      method: fc.constant('tools/call'),
      params: fc.oneof(
        fc.string({ maxLength: 40, unit: 'grapheme' }).map((text) => call('get_echo', { text })),
        fc.integer({ min: -2, max: 12 }).map((times) => call('get_echo', { text: 'x', times })),
        fc.constantFrom('own', 'foreign', 'malformed', 'none').map((how) => call('get_failure', { how })),
        fc.constantFrom(
          call('get_echo'),
          call('get_echo', { text: 'x', more: 1 }),
          call('move_funds', { amount: '1' }),
          call('move_funds', { amount: '1', dryRun: true }),
          call('get_slow', { ms: 0 }),
          call('nonsense', {}),
          call('', {}),
          call('get_echo', null),
          call('get_echo', [1]),
          call('get_echo', 'text'),
          { name: 7, arguments: {} },
          { arguments: {} },
          { ...call('get_echo', { text: 'x' }), task: { ttl: 1_000 } },
          { ...call('get_echo', { text: 'x' }), inputResponses: {} },
          { ...call('get_echo', { text: 'x' }), requestState: 'x' },
          [],
          'params',
          null,
        ),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      method: fc.constantFrom('tools/list', 'ping', 'server/discover'),
      params: fc.constantFrom<unknown>(undefined, {}, { cursor: 'x' }, { more: 1 }, null, []),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom<unknown>('tools/nonsense', 'logging/setLevel', 'prompts/list', 'TOOLS/CALL', '', 7, null),
      params: fc.constantFrom<unknown>(undefined, {}),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('notifications/initialized', 'notifications/cancelled', 'notifications/nonsense'),
      params: fc.constantFrom<unknown>(undefined, {}, { requestId: 1 }, { requestId: [] }),
      isNotification: fc.constant(true),
    }),
  },
)

const ids = fc.oneof(
  { weight: 14, arbitrary: fc.integer() },
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, 1.5, true, [], {}, 2 ** 53, -0, '"\\', '__proto__', 1e300) },
)

const capabilities = fc.constantFrom<unknown>(
  {},
  {},
  { elicitation: {} },
  { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
  { extensions: { [`${prefix}ui`]: { mimeTypes: ['text/html;profile=mcp-app'] } } },
  { extensions: { 'org.example/other': { deep: { deeper: [1, null] } } } },
  { extensions: { 'org.example/other': true } },
  { experimental: { flying: {} } },
  { flying: {} },
  { constructor: {} },
  { elicitation: true },
  { elicitation: { form: 1 } },
  { roots: { listChanged: true } },
  [],
  null,
  undefined,
)

const envelopes = fc
  .record({
    version: fc.oneof(
      { weight: 12, arbitrary: fc.constant<unknown>(statelessRevision) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>('2026-07-29', '2025-11-25', 7, undefined) },
    ),
    client: fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>({ name: 'corpus', version: '1' }) },
      {
        weight: 3,
        arbitrary: fc.constantFrom<unknown>(
          undefined,
          { name: 'corpus', version: '1', title: 'Corpus' },
          { name: 'corpus' },
          { name: 1, version: '1' },
          'corpus',
          null,
          { name: 'corpus', version: '1', icons: [] },
          { name: 'corpus', version: '1', other: 1 },
        ),
      },
    ),
    can: fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>({}) }, { weight: 2, arbitrary: capabilities }),
    more: fc.oneof(
      { weight: 10, arbitrary: fc.constant({}) },
      {
        weight: 4,
        arbitrary: fc.constantFrom<Record<string, unknown>>(
          { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
          { traceparent: 'x', tracestate: 'a=b', baggage: '' },
          { traceparent: 7 },
          { progressToken: 'p' },
          { progressToken: 7 },
          { progressToken: {} },
          { other: 1 },
          { [`${prefix}logLevel`]: 'info' },
          { [`${prefix}logLevel`]: 'nonsense' },
        ),
      },
    ),
  })
  .map(envelopeOf)

function envelopeOf({ version, client, can, more }: EnvelopeParts): Readonly<Record<string, unknown>> {
  const members = { protocolVersion: version, clientInfo: client, clientCapabilities: can }
  const named = Object.entries(members).map(([name, value]) => [`${prefix}${name}`, value] as const)
  return { ...Object.fromEntries(named), ...more }
}

type EnvelopeParts = {
  readonly version: unknown
  readonly client: unknown
  readonly can: unknown
  readonly more: Readonly<Record<string, unknown>>
}

/** What becomes of a message on its way to the wire. */
const wrappings = fc.oneof(
  { weight: 30, arbitrary: fc.constant((message: object) => json(message)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<(message: object) => string>(
      (message) => json([message]),
      (message) => json([message, message]),
      (message) => json({ ...message, extra: 1 }),
      (message) => json({ ...message, jsonrpc: '1.0' }),
      (message) => json({ ...message, jsonrpc: undefined }),
      (message) => json({ ...message, result: {} }),
      (message) => json(message).slice(0, -1),
      (message) => `\uFEFF${json(message)}`,
      (message) => ` ${json(message)}\n`,
      (message) => json(json(message)),
      (message) => json({ ...message, params: { deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown } }),
      () => '',
      () => 'null',
      () => '[]',
      () => '{}',
      () => '7',
    ),
  },
)

const oddHeaders = fc.oneof(
  { weight: 24, arbitrary: fc.constant<Record<string, string>>({}) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { accept: 'application/json' },
      { accept: 'text/event-stream, application/json' },
      { accept: '*/*' },
      { accept: 'application/json;q=0.5, text/event-stream;q=0.1' },
      { accept: '' },
      { accept: 'application/jsonx, text/event-streamx' },
      { 'mcp-protocol-version': '2024-11-05' },
      { 'mcp-protocol-version': '2025-06-18' },
      { 'mcp-protocol-version': '2026-07-28' },
      { 'mcp-protocol-version': '1999-01-01' },
      { 'mcp-protocol-version': '' },
      { 'mcp-method': 'tools/call' },
      { 'mcp-method': 'TOOLS/LIST' },
      { 'mcp-name': 'get_failure' },
      { 'mcp-name': '' },
      { 'mcp-param-text': 'y' },
      { 'mcp-session-id': 'nobodys' },
      { 'mcp-session-id': '' },
      { 'last-event-id': '7' },
      { 'content-type': 'application/json; charset=utf-8' },
      { 'content-type': 'text/plain' },
      { 'x-other': 'y' },
    ),
  },
)

const callers = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<CorpusRequest['caller']>('read', 'feedback', 'write', 'bearer') },
  { weight: 1, arbitrary: fc.constantFrom<CorpusRequest['caller']>('stranger', 'none') },
)

const request: fc.Arbitrary<CorpusRequest> = fc
  .record({
    era: fc.constantFrom<CorpusRequest['era']>('session', 'stateless'),
    caller: callers,
    asked: methods,
    id: ids,
    envelope: envelopes,
    ofOtherEra: fc.integer({ min: 0, max: 19 }).map((turn) => turn === 0),
    sessionMeta: fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>(undefined) },
      { weight: 2, arbitrary: fc.constantFrom<unknown>({}, { progressToken: 'p' }, { traceparent: 'x' }, [], 7) },
    ),
    version: fc.constantFrom<string | undefined>(undefined, '2025-11-25', '2025-11-25', '2025-06-18'),
    wrap: wrappings,
    odd: oddHeaders,
    turn: fc.integer({ min: 0, max: 39 }),
  })
  .map(({ era, caller, asked, id, envelope, ofOtherEra, sessionMeta, version, wrap, odd, turn }) => {
    const isCancelled = era === 'session' && turn === 0 && caller !== 'stranger' && caller !== 'none'
    const { method, params } = isCancelled ? { method: 'tools/call', params: call('get_slow', { ms: 60_000 }) } : asked
    const isNotification = !isCancelled && 'isNotification' in asked
    const meta = (era === 'stateless') !== ofOtherEra ? envelope : sessionMeta
    const isOpen = typeof params === 'object' && params !== null && !Array.isArray(params)
    const whole = meta === undefined || !(isOpen || params === undefined) ? params : { ...params, _meta: meta }
    const message = {
      jsonrpc: '2.0',
      ...(isNotification ? {} : { id: isCancelled ? turn + 1_000 : id }),
      method,
      ...(whole === undefined ? {} : { params: whole }),
    }
    if (isCancelled) {
      return { era, caller, body: json({ ...message, params }), headers: {}, ownSession: true, isCancelled }
    }
    const headers = { ...(era === 'stateless' ? statelessHeaders(method, params) : sessionHeaders(version)), ...odd }
    const ownSession = era === 'session' && odd['mcp-session-id'] === undefined && turn !== 1
    return { era, caller, body: wrap(message), headers, ownSession, isCancelled }
  })

function statelessHeaders(method: unknown, params: unknown): Record<string, string> {
  const name = typeof params === 'object' && params !== null && 'name' in params ? params.name : undefined
  return {
    'mcp-protocol-version': statelessRevision,
    ...(typeof method === 'string' ? { 'mcp-method': method } : {}),
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}

function sessionHeaders(version: string | undefined): Record<string, string> {
  return version === undefined ? {} : { 'mcp-protocol-version': version }
}
