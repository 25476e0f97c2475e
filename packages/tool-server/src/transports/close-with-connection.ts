import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Makes a function that lets every response close with its connection. Node closes the one whose turn it is alone: those to requests that
 * were sent behind it hear nothing, and whatever waits for their end waits for good.
 */
export function createCloseWithConnection(): (request: IncomingMessage, response: ServerResponse) => void {
  const openOf = new WeakMap<Socket, Set<ServerResponse>>()
  return ({ socket }, response) => {
    const open = openOf.get(socket) ?? follow(socket)
    openOf.set(socket, open)
    open.add(response)
    response.on('close', () => open.delete(response))
  }
}

function follow(socket: Socket): Set<ServerResponse> {
  const open = new Set<ServerResponse>()
  // Node's own listeners come first; what they have closed is no longer here.
  socket.on('close', () =>
    setImmediate(() => {
      for (const response of open) {
        response.destroy()
        if (open.has(response)) response.emit('close')
      }
    }),
  )
  return open
}
