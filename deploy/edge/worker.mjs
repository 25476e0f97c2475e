// The tool server at an edge: the profile `data` as a fetch handler of workerd, on its own or at Cloudflare (docs/edge.md). `chains.json` is what
// SVC_CHAINS_FILE names elsewhere, `policy.json` what lies in a data directory; all other settings are bindings.
import { createServer } from 'node:http'
import { httpServerHandler } from 'cloudflare:node'
import { env } from 'cloudflare:workers'
import { createEdgeServer } from '@svc/tool-server/edge'
import chains from './chains.json'
import policy from './policy.json'

const edge = createEdgeServer({ env, chains, policy, write: (line) => console.log(line) })

const server = httpServerHandler(createServer((request, response) => void edge.handle(request, response)))

export default {
  // A zone may take plain http, too; which of both it was only this URL says.
  fetch: (request, ...more) => edge.refuse(request.url) ?? server.fetch(request, ...more),
}
