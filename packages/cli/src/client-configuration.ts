import { fileURLToPath } from 'node:url'

/** The block a person pastes into the settings of an MCP client that speaks HTTP. */
export function httpClientConfiguration(url: string, key: string): string {
  return render({ type: 'http', url, headers: { Authorization: `Bearer ${key}` } })
}

/** The same for a client that starts its servers itself: reads only, on the chains of that file, rewards by that service. */
export function stdioClientConfiguration(chainsPath: string, rewardsUrl: string): string {
  const args = [svcProgram, 'serve', '--transport', 'stdio']
  const env = { SVC_MCP_PROFILE: 'data', SVC_CHAINS_FILE: chainsPath, SVC_REWARDS_URL: rewardsUrl }
  return render({ command: 'node', args, env })
}

/** Where this program stands, for `node`. */
export const svcProgram = fileURLToPath(new URL('../bin/svc.js', import.meta.url))

function render(server: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ mcpServers: { svc: server } }, null, 2)
}
