import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server'
import { jsonRpcErrors } from './answers.ts'
import { kindOfAnswer } from './request-stages.ts'

/** A transport of one client that knows which of its requests are being answered. */
export type BoundTransport = Transport & {
  readonly inFlight: ReadonlyMap<RequestId, { readonly kind: 'answer' | 'stream'; abort(): void }>
  /** Takes no further requests, and resolves when those it took are answered, whoever asks for it and how often; streams are not waited for. */
  finish(): Promise<void>
}

/**
 * Lays over a transport that a request is refused while another with its id is being answered, for the protocol could not tell their answers
 * apart; and beyond `most` at once.
 */
export function boundCalls(transport: Transport, { most = Infinity, traffic }: Bounds = {}): BoundTransport {
  const inFlight = new Map<RequestId, { readonly kind: 'answer' | 'stream'; abort(): void }>()
  let finishing: Promise<void> | null = null
  let onFinished = (): void => {}
  const bound: BoundTransport = {
    inFlight,
    async start() {
      Object.assign(transport, {
        onclose: () => {
          for (const id of inFlight.keys()) end(id)
          bound.onclose?.()
        },
        onerror: (error: Error) => bound.onerror?.(error),
        onmessage: (message: JSONRPCMessage) => receive(message),
      })
      await transport.start()
    },
    async send(message, options) {
      // Whoever waits for the last answer closes the transport, which then has it.
      const sent = transport.send(message, options)
      if (!('method' in message) && message.id !== undefined) end(message.id)
      await sent
    },
    close: () => transport.close(),
    finish() {
      finishing ??= new Promise((resolve) => (onFinished = resolve))
      settle()
      return finishing
    },
  }
  return bound

  function receive(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled') forget(message.params)
    if (!('method' in message) || !('id' in message)) return bound.onmessage?.(message)
    const error = whyNot(message)
    if (error !== null) return refuse(message, error)
    const params = { requestId: message.id }
    const abort = () => receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    inFlight.set(message.id, { kind: kindOfAnswer(message), abort })
    traffic?.came()
    return bound.onmessage?.(message)
  }

  function whyNot({ id }: JSONRPCRequest) {
    if (finishing !== null) return jsonRpcErrors.closing
    if (inFlight.has(id)) return jsonRpcErrors.duplicateId
    return inFlight.size < most ? null : jsonRpcErrors.tooMany
  }

  function refuse({ id }: JSONRPCRequest, error: { readonly code: number; readonly message: string }): void {
    transport.send({ jsonrpc: '2.0', id, error }).catch((failure: Error) => bound.onerror?.(failure))
  }

  /** A cancelled request gets no answer that would free its id. */
  function forget(params: unknown): void {
    const id = typeof params === 'object' && params !== null && 'requestId' in params ? params.requestId : null
    if (typeof id === 'string' || typeof id === 'number') end(id)
  }

  function end(id: RequestId): void {
    if (!inFlight.delete(id)) return
    traffic?.answered()
    settle()
  }

  function settle(): void {
    if ([...inFlight.values()].every(({ kind }) => kind === 'stream')) onFinished()
  }
}

type Bounds = {
  readonly most?: number
  /** Hears of every request that is taken, and of its end. */
  readonly traffic?: { came(): void; answered(): void } | undefined
}
