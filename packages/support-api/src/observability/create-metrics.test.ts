import { expect, it } from 'vitest'
import { createMetrics } from './create-metrics.ts'

it.each([1, 255, 256, 257, 600])('%d requests are counted once each', async (requests) => {
  const metrics = createMetrics()
  for (let request = 0; request < requests; request += 1) metrics.served('/healthz', 200, request === 0 ? 30 : 0.5)
  for (const _again of [1, 2]) {
    const text = await metrics.text()
    expect(text).toContain(`svc_api_request_seconds_count{route="/healthz",status="200"} ${requests}`)
    expect(text).toContain(`svc_api_request_seconds_bucket{le="0.001",route="/healthz",status="200"} ${requests - 1}`)
  }
})
