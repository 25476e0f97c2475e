// A client over WebSocket, of another make than the server: opens a session of the older protocol and asks one thing at a time.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { legacyMessage } from './mcp-messages.mjs'

const { WebSocket } = createRequire(new URL('../../packages/tool-server/package.json', import.meta.url))('ws')

export async function openWebSocket(port, headers) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, ['mcp'], { headers, perMessageDeflate: false })
  await once(socket, 'open')
  const ask = async (method, params, id = 1) => {
    socket.send(legacyMessage(id, method, params))
    const [data] = await once(socket, 'message')
    const { result, error } = JSON.parse(data.toString())
    if (result === undefined || result.isError) throw new Error(`${method}: ${JSON.stringify(error ?? result)}`)
    return result
  }
  const clientInfo = { name: 'bench', version: '1.0.0' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 0)
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return {
    ask,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
    drop: () => socket.terminate(),
  }
}
