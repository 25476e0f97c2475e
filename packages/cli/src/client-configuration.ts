/** The block a person pastes into the settings of an MCP client that speaks HTTP. */
export function clientConfiguration(url: string, key: string): string {
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${key}` } }
  return JSON.stringify({ mcpServers: { svc: server } }, null, 2)
}
