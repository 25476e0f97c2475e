import { afterAll, afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createWorkerPool } from '../workers/create-worker-pool.ts'
import { rangeResult } from '../charts/picture-data.fixture.ts'
import type { Ports, Workers } from '../ports.ts'
import { connectModern, openTestServer, type TestServer } from '../test-server.fixture.ts'
import { readTool } from '../tool.ts'

const workers = createWorkerPool({ threads: 1, deadlineMs: 60_000 })
let open: TestServer
afterEach(() => open.server.close())
afterAll(() => workers.close())

const openChart = async (threads: Workers = workers) =>
  (open = await openTestServer({ tools: [drawing], ports: { workers: threads } as Ports }))

/** Leaves a picture; fails where it is told to. */
const drawing = readTool({
  name: 'get_drawing',
  title: 'Drawing',
  description: 'Draws.',
  scope: 'read:market',
  input: z.strictObject({ fails: z.enum(['never', 'drawing', 'afterwards']) }),
  output: z.object({ drawn: z.boolean() }),
}).handler(async ({ fails }, context) => {
  context.draw(() => {
    if (fails === 'drawing') throw new Error('no picture of this')
    return { kind: 'range', result: rangeResult, horizonDays: 30 }
  })
  if (fails === 'afterwards') throw new Error('after the drawing')
  return { drawn: true }
})

describe.each(['legacy', 'modern'] as const)('pictures of answers, in the %s era', (era) => {
  it('are linked from the answer and read as resources, by the caller alone', async () => {
    await openChart()
    const { client } = await connectModern(open.url, open.keys.read, era)
    const answer = await client.callTool({ name: 'get_drawing', arguments: { fails: 'never' } })
    expect(answer.structuredContent).toEqual({ drawn: true })
    const [text, ...links] = answer.content
    const [svg = { uri: '' }, png = { uri: '' }] = links.flatMap((link) =>
      link.type === 'resource_link' ? [link] : [],
    )
    expect(text).toEqual({ type: 'text', text: '{"drawn":true}' })
    expect(svg).toMatchObject({ type: 'resource_link', mimeType: 'image/svg+xml', name: 'get_drawing.svg' })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['svc://errors', svg.uri, png.uri])
    const { contents } = await client.readResource({ uri: svg.uri })
    expect(contents).toMatchObject([{ uri: svg.uri, text: expect.stringMatching(/^<svg.*WETH\/USDC on Ethereum/s) }])
    const pixels = await client.readResource({ uri: png.uri })
    expect(pixels.contents).toMatchObject([{ mimeType: 'image/png', blob: expect.stringMatching(/^iVBORw0KGgo/) }])
    const readings = open.lines.filter((line) => line.includes('picture.read'))
    expect(readings, 'one line for each reading').toHaveLength(2)
    expect(readings[0]).toMatch(/"principal":"[^"]+".*"outcome":"success"/)

    const { client: other } = await connectModern(open.url, open.keys.write, era)
    expect((await other.listResources()).resources.map(({ uri }) => uri)).toEqual(['svc://errors'])
    await expect(other.readResource({ uri: svg.uri })).rejects.toThrow(/not found/i)
    await Promise.all([client.close(), other.close()])
  })

  it('are not kept of a call that failed', async () => {
    await openChart()
    const { client } = await connectModern(open.url, open.keys.read, era)
    const answer = await client.callTool({ name: 'get_drawing', arguments: { fails: 'afterwards' } })
    expect(answer.isError).toBe(true)
    expect(answer.content).toHaveLength(1)
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['svc://errors'])
    await client.close()
  })

  it('that cannot be drawn are left out of an answer that stands', async () => {
    await openChart()
    const { client } = await connectModern(open.url, open.keys.read, era)
    const answer = await client.callTool({ name: 'get_drawing', arguments: { fails: 'drawing' } })
    expect(answer).toMatchObject({ structuredContent: { drawn: true } })
    expect(answer.content).toEqual([
      { type: 'text', text: '{"drawn":true}' },
      { type: 'text', text: 'The picture of this answer could not be drawn; the answer itself is whole.' },
    ])
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['svc://errors'])
    expect(open.lines.join('')).toContain('no picture of this')
    await client.close()
  })

  it('say so when their thread dies, and can be read again', async () => {
    let deaths = 0
    const askers: (string | undefined)[] = []
    const threads: Workers = {
      run(kind, input, caller) {
        askers.push(caller.principalId)
        return deaths++ === 0 ? Promise.reject(new Error('A thread ended.')) : workers.run(kind, input, caller)
      },
    }
    await openChart(threads)
    const { client } = await connectModern(open.url, open.keys.read, era)
    const { content } = await client.callTool({ name: 'get_drawing', arguments: { fails: 'never' } })
    const [uri = ''] = content.flatMap((part) => (part.type === 'resource_link' ? [part.uri] : []))
    await expect(client.readResource({ uri })).rejects.toThrow(/correlation id/)
    expect(open.lines.join('')).toContain('A thread ended.')
    const { contents } = await client.readResource({ uri: `${uri}?theme=dark` })
    expect(contents).toMatchObject([{ text: expect.stringContaining('WETH/USDC on Ethereum') }])
    const [first, second] = askers
    expect(askers, 'each in the name of the caller').toEqual([first, second])
    expect(first).toMatch(/./)
    expect(second).toBe(first)
    await client.close()
  })
})
