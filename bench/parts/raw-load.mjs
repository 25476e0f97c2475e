// A bounded load of one request on 127.0.0.1, over sockets that are written and read as they are: Node's own client takes
// longer for a request than the server does for a small answer, and would be what is measured.
import { once } from 'node:events'
import { connect } from 'node:net'

/** Opens `inFlight` connections, then asks `calls` times over them, one at a time over each. */
export async function openRawLoad({ port, request, calls, inFlight = 32 }) {
  const sockets = []
  // Fewer at a time than may wait to be accepted.
  while (sockets.length < inFlight) {
    const more = Array.from({ length: Math.min(100, inFlight - sockets.length) }, () => open(port))
    sockets.push(...(await Promise.all(more)))
  }
  let issued = 0
  return {
    /** Gives the requests a second. */
    async drive() {
      const begin = performance.now()
      await Promise.all(sockets.map((socket) => converse(socket, () => (issued++ < calls ? request(issued) : null))))
      return (calls * 1_000) / (performance.now() - begin)
    },
  }
}

export function getRequest(path) {
  const text = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
  return () => text
}

export function postRequest(path, body) {
  return (index) => {
    const text = JSON.stringify(body(index))
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json`
    return `${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
}

async function open(port) {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  return socket
}

/** Over one connection, until `next` has nothing more to ask. Anything but 200 ends it. */
async function converse(socket, next) {
  await new Promise((resolve, reject) => {
    let seen = ''
    const ask = () => {
      const text = next()
      if (text === null) resolve(socket.destroy())
      else socket.write(text)
    }
    socket.setEncoding('latin1').on('data', (part) => {
      seen += part
      const end = seen.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!seen.startsWith('HTTP/1.1 200')) return reject(new Error(seen.slice(0, 500)))
      const length = /\r\ncontent-length: *(\d+)/i.exec(seen)?.[1]
      if (length === undefined) return reject(new Error(`an answer without its length: ${seen.slice(0, 500)}`))
      if (seen.length < end + 4 + Number(length)) return
      seen = ''
      ask()
    })
    socket.once('error', reject).once('close', () => reject(new Error('the connection broke off')))
    ask()
  })
}
