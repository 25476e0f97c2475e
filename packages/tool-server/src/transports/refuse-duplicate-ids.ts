import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { jsonRpcErrors } from './json-rpc.ts'

/**
 * Lays over a transport that a request is refused while another with its id is being answered: the protocol could not
 * tell their answers apart.
 */
export function refuseDuplicateIds(transport: Transport): Transport {
  const inFlight = new Set<string | number>()
  const guarded: Transport = {
    async start() {
      Object.assign(transport, {
        onclose: () => guarded.onclose?.(),
        onerror: (error: Error) => guarded.onerror?.(error),
        onmessage: (message: JSONRPCMessage) => receive(message),
      })
      await transport.start()
    },
    async send(message, options) {
      if (!('method' in message) && message.id !== undefined) inFlight.delete(message.id)
      await transport.send(message, options)
    },
    close: () => transport.close(),
  }
  return guarded

  function receive(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled') forget(message.params)
    if (!('method' in message) || !('id' in message)) return guarded.onmessage?.(message)
    if (inFlight.has(message.id)) {
      const refusal = { jsonrpc: '2.0' as const, id: message.id, error: jsonRpcErrors.duplicateId }
      return void transport.send(refusal).catch((error: Error) => guarded.onerror?.(error))
    }
    inFlight.add(message.id)
    return guarded.onmessage?.(message)
  }

  /** A cancelled request gets no answer that would free its id. */
  function forget(params: unknown): void {
    const id = typeof params === 'object' && params !== null && 'requestId' in params ? params.requestId : null
    if (typeof id === 'string' || typeof id === 'number') inFlight.delete(id)
  }
}
