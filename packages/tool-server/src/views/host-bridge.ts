import type {
  McpUiHostContext,
  McpUiInitializedNotification,
  McpUiInitializeRequest,
  McpUiSizeChangedNotification,
} from '@modelcontextprotocol/ext-apps'

/**
 * The app's end of the protocol of MCP Apps 2026-01-26: says hello to the host in the parent window, hears what became of the
 * tool's call, and tells the host the size of the page. Hears the parent alone, and asks it for nothing.
 */
export function connectHost(app: { readonly name: string; readonly version: string }, hear: HostWords): HostBridge {
  const host = window.parent
  const send = (message: Sent | Reply) => host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== host || !isRecord(data) || data['jsonrpc'] !== '2.0') return
    const { id, method, params, result } = data
    if (typeof method === 'string') {
      if (typeof id === 'string' || typeof id === 'number') send({ id, ...answerTo(method) })
      else if (isRecord(params)) report(method, params, hear)
    } else if (id === helloId && isRecord(result)) {
      if (isRecord(result['hostContext'])) hear.context(result['hostContext'])
      send({ method: 'ui/notifications/initialized' })
      hear.ready()
    }
  })
  const hello = { appInfo: app, appCapabilities: {}, protocolVersion: '2026-01-26' }
  send({ id: helloId, method: 'ui/initialize', params: hello })
  return { resized: (width, height) => send({ method: 'ui/notifications/size-changed', params: { width, height } }) }
}

/** What a host says, in the order in which it comes. */
export type HostWords = {
  /** The host has said hello: from now on it may be sent things. */
  ready(): void
  /** At the beginning in full, later what has changed. */
  context(context: McpUiHostContext): void
  /** While the model is still writing them. */
  partialInput(input: Readonly<Record<string, unknown>>): void
  input(input: Readonly<Record<string, unknown>>): void
  result(result: Readonly<Record<string, unknown>>): void
  cancelled(reason: string | null): void
}

export type HostBridge = {
  /** Pixels of the page. */
  resized(width: number, height: number): void
}

type Sent =
  | (McpUiInitializeRequest & { readonly id: number })
  | McpUiInitializedNotification
  | McpUiSizeChangedNotification

type Reply = { readonly id: string | number } & ReturnType<typeof answerTo>

const helloId = 1

/** A view holds nothing that must be put away, so a host may take it down at once. */
function answerTo(method: string) {
  if (method === 'ui/resource-teardown' || method === 'ping') return { result: {} }
  return { error: { code: -32_601, message: 'Method not found' } }
}

function report(method: string, params: Readonly<Record<string, unknown>>, hear: HostWords): void {
  const input = isRecord(params['arguments']) ? params['arguments'] : {}
  if (method === 'ui/notifications/tool-input-partial') hear.partialInput(input)
  if (method === 'ui/notifications/tool-input') hear.input(input)
  if (method === 'ui/notifications/tool-result') hear.result(params)
  if (method === 'ui/notifications/tool-cancelled') {
    hear.cancelled(typeof params['reason'] === 'string' ? params['reason'] : null)
  }
  if (method === 'ui/notifications/host-context-changed') hear.context(params)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A tool's result as the host passes it on: an answer, or why there is none. */
export type ReadResult = {
  readonly problem: Problem | null
  /** What can be shown; beside a problem the part of the answer that was there in time. */
  readonly answer: Readonly<Record<string, unknown>> | null
  /** What the server drew of the answer. */
  readonly drawing: unknown
}

export type Problem = {
  readonly code: string | null
  readonly message: string
  /** What to do about it. */
  readonly fix: string | null
  /** The members of the input that are at fault, or other facts. */
  readonly details: readonly string[]
}

export function readResult(result: Readonly<Record<string, unknown>>): ReadResult {
  const meta = isRecord(result['_meta']) ? result['_meta'] : {}
  if (result['isError'] === true) return ofFailure(meta['svc/error'], textOf(result['content']))
  const { structuredContent } = result
  const answer = isRecord(structuredContent) ? structuredContent : parsed(textOf(result['content']))
  return { problem: null, answer, drawing: meta['svc/drawing'] }
}

/** The envelope travels in `_meta` and as text: a host may pass on only one of them. */
function ofFailure(envelope: unknown, text: string): ReadResult {
  const said = isRecord(envelope) ? envelope : parsed(text)?.['error']
  const { code, message, suggestion, details } = isRecord(said) ? said : {}
  const facts = Array.isArray(details) ? details.filter(isRecord) : []
  const problem = {
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : text === '' ? 'The tool failed and did not say why.' : text,
    fix: typeof suggestion === 'string' ? suggestion : null,
    details: facts.map(({ field, message: fact }) =>
      [field, fact].filter((word) => typeof word === 'string').join(': '),
    ),
  }
  const inTime = facts.find(({ analytic }) => isRecord(analytic))?.['analytic']
  return { problem, answer: isRecord(inTime) ? inTime : null, drawing: undefined }
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  return blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n')
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
