import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { ToolError } from '@svc/amm'
import { retryAfterSeconds, type Taken } from '@svc/runtime'
import type { RawData, WebSocket } from 'ws'
import { jsonRpcErrors } from './answers.ts'
import { parseJson } from './json-body.ts'
import { isBrief, maxDepth } from './request-stages.ts'

/** One connection, a message a frame, as the protocol library takes it. */
export function createWebSocketTransport(socket: WebSocket, stages: MessageStages): WebSocketTransport {
  const turns = createTurns(socket)
  const transport: WebSocketTransport = {
    async start() {
      socket.on('message', (data, isBinary) =>
        turns.add(() =>
          receive(data, isBinary).catch((error: Error) => {
            transport.onerror?.(error)
            end(closeCodes.failed, 'Something went wrong inside the server.')
          }),
        ),
      )
      socket.on('ping', (data) => void answerPing(data))
      socket.on('error', (error) => transport.onerror?.(error))
      socket.on('close', () => transport.onclose?.())
    },
    send(message) {
      return new Promise((resolve, reject) => {
        write(message, (error) => (error == null ? resolve() : reject(error)))
      })
    },
    close: async () => end(closeCodes.normal, ''),
    end,
  }
  return transport

  async function receive(data: RawData, isBinary: boolean): Promise<void> {
    if (socket.readyState !== socket.OPEN) return
    if (isBinary || !Buffer.isBuffer(data)) return end(closeCodes.unsupported, 'Messages are text.')
    if (!(await stages.areCredentialsGood())) return end(closeCodes.policy, credentialsOver)
    const left = await stages.charge()
    const parsed = parseJson(data, maxDepth)
    const message = parsed.ok ? asMessage(parsed.value) : null
    if (message !== null && left.allowed) {
      if (isBrief(message)) return transport.onmessage?.(message)
      return refuse('id' in message ? (message.id ?? null) : null, jsonRpcErrors.notBrief)
    }
    if (left.allowed) return refuse(null, parsed.ok ? errorOf(parsed.value) : jsonRpcErrors[errorNames[parsed.reason]])
    if (message !== null && isJSONRPCRequest(message)) refuse(message.id, tooMany(left))
    // Whoever sends on regardless is read no faster than the budget allows, so that refusing costs no more than answering.
    await atMost(left.retryAfterMs)
  }

  function refuse(id: RequestId | null, error: { readonly code: number; readonly message: string }): void {
    write({ jsonrpc: '2.0', id, error }, (failure) => failure != null && transport.onerror?.(failure))
  }

  function write(message: object, done: (error?: Error | null) => void): void {
    requireReader()
    socket.send(JSON.stringify(message), done)
  }

  /** Whoever is alive pings now and then: what is beyond the budget is not answered. */
  async function answerPing(data: Buffer): Promise<void> {
    requireReader()
    const { allowed } = await stages.charge()
    if (allowed && socket.readyState === socket.OPEN) socket.pong(data)
  }

  /** A client that does not read what it asked for would have it pile up here. */
  function requireReader(): void {
    if (socket.bufferedAmount <= maxBufferedBytes || socket.readyState !== socket.OPEN) return
    transport.onerror?.(new Error('The client does not read its answers.'))
    socket.terminate()
  }

  /** What is being answered has nobody to hear it from here on, however long the other side takes for its goodbye. */
  function end(code: number, reason: string): void {
    if (socket.readyState !== socket.OPEN) return
    socket.close(code, reason)
    transport.onclose?.()
  }
}

export type WebSocketTransport = Transport & {
  /** Says goodbye with a code and a sentence, and takes nothing more. */
  end(code: number, reason: string): void
}

/** What each message passes before the protocol sees it, as each request over HTTP does. */
export type MessageStages = {
  /** Whether whoever opened the connection would still be let in, with the same rights. */
  areCredentialsGood(): Promise<boolean>
  /** Charges address and principal, and gives what is left of the one that refuses. */
  charge(): Promise<Taken>
}

/** RFC 6455, section 7.4. */
export const closeCodes = { normal: 1000, goingAway: 1001, unsupported: 1003, policy: 1008, failed: 1011 } as const

export const credentialsOver = 'The credentials no longer hold, or no longer as they did. Connect again.'

/** Takes one message after the other, and reads no further while one of them waits. */
function createTurns(socket: WebSocket) {
  let last = Promise.resolve()
  let waiting = 0
  return {
    add(turn: () => Promise<void>): void {
      waiting += 1
      socket.pause()
      last = last.then(turn).finally(() => {
        waiting -= 1
        if (waiting === 0) socket.resume()
      })
    },
  }
}

function asMessage(value: unknown): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return null
  }
}

function errorOf(value: unknown) {
  return Array.isArray(value) ? jsonRpcErrors.batch : jsonRpcErrors.noMessage
}

function tooMany({ retryAfterMs }: Extract<Taken, { readonly allowed: false }>) {
  const { message, ...envelope } = new ToolError('RATE_LIMITED', 'Too many requests.').toJSON()
  return {
    code: jsonRpcErrors.tooMany.code,
    message,
    data: { ...envelope, retryAfterSeconds: retryAfterSeconds(retryAfterMs) },
  }
}

function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(ms, mostPauseMs)).unref())
}

const mostPauseMs = 1_000
const errorNames = { malformed: 'malformed', 'too-deep': 'tooDeep' } as const
const maxBufferedBytes = 1_048_576
