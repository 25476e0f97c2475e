// The SDK's own createMcpHandler over the same catalogue, with no authentication and no checks of ours.
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { answerCpu } from './answer-cpu.mjs'
import { benchCatalogue, benchContext } from './bench-catalogue.mjs'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  for (const tool of benchCatalogue) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: tool.annotations,
      },
      async (input) => {
        const structuredContent = await tool.handle(input, benchContext)
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
      },
    )
  }
  return server
})
const answer = toNodeHandler(handler)
const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => answerCpu(server.address().port))
