import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { rangeResult } from '../pictures/picture-data.fixture.ts'
import { connectModern, openTestServer, type TestServer } from '../test-server.fixture.ts'
import { readTool } from '../tool.ts'

let open: TestServer
afterEach(() => open.server.close())

/** Leaves a picture; fails afterwards where it is told to. */
const drawing = readTool({
  name: 'get_drawing',
  title: 'Drawing',
  description: 'Draws.',
  scope: 'read:market',
  input: z.strictObject({ fails: z.boolean() }),
  output: z.object({ drawn: z.boolean() }),
}).handler(async ({ fails }, context) => {
  context.draw({ kind: 'range', result: rangeResult, horizonDays: 30 })
  if (fails) throw new Error('after the drawing')
  return { drawn: true }
})

describe.each(['legacy', 'modern'] as const)('pictures of answers, in the %s era', (era) => {
  it('are linked from the answer and read as resources, by the caller alone', async () => {
    open = await openTestServer({ tools: [drawing] })
    const { client } = await connectModern(open.url, open.keys.read, era)
    const answer = await client.callTool({ name: 'get_drawing', arguments: { fails: false } })
    expect(answer.structuredContent).toEqual({ drawn: true })
    const [text, ...links] = answer.content
    const [svg = { uri: '' }, png = { uri: '' }] = links.flatMap((link) =>
      link.type === 'resource_link' ? [link] : [],
    )
    expect(text).toEqual({ type: 'text', text: '{"drawn":true}' })
    expect(svg).toMatchObject({ type: 'resource_link', mimeType: 'image/svg+xml', name: 'get_drawing.svg' })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([svg.uri, png.uri])
    const { contents } = await client.readResource({ uri: svg.uri })
    expect(contents).toMatchObject([{ uri: svg.uri, text: expect.stringMatching(/^<svg.*WETH\/USDC on Ethereum/s) }])
    const pixels = await client.readResource({ uri: png.uri })
    expect(pixels.contents).toMatchObject([{ mimeType: 'image/png', blob: expect.stringMatching(/^iVBORw0KGgo/) }])

    const { client: other } = await connectModern(open.url, open.keys.write, era)
    expect((await other.listResources()).resources).toEqual([])
    await expect(other.readResource({ uri: svg.uri })).rejects.toThrow(/not found/i)
    await Promise.all([client.close(), other.close()])
  })

  it('are not kept of a call that failed', async () => {
    open = await openTestServer({ tools: [drawing] })
    const { client } = await connectModern(open.url, open.keys.read, era)
    const answer = await client.callTool({ name: 'get_drawing', arguments: { fails: true } })
    expect(answer.isError).toBe(true)
    expect(answer.content).toHaveLength(1)
    expect((await client.listResources()).resources).toEqual([])
    await client.close()
  })
})
