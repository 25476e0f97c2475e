// The floor of a start: a bare node:http server, and all of viem imported beside it.
import { createServer } from 'node:http'
import * as viem from 'viem'

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.end(`hello of ${Object.keys(viem).length} names`))
})
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`hello listens on http://127.0.0.1:${server.address().port}/mcp\n`)
})
