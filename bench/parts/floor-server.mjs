// The floor: node:http, the body parsed, one JSON answer of the same size as the tool's. No protocol, no checks.
import { createServer } from 'node:http'
import { answerCpu } from './answer-cpu.mjs'

let answer = '{}'
const server = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(parts).toString())
    if (message.answer !== undefined) answer = message.answer
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"jsonrpc":"2.0","id":${message.id},"result":${answer}}`)
  })
})
server.listen(0, '127.0.0.1', () => answerCpu(server.address().port))
