import { openAuthorizingProxy } from './authorizing-proxy.mjs'
import { runConformance } from './run-conformance.mjs'

/** The scenarios that need no fixture, against `svc up` itself: its own tools, lists and fast paths. */
export async function checkProductAlone({ ready }, report, signal) {
  const proxy = await openAuthorizingProxy(ready.mcp.url, { authorization: `Bearer ${ready.mcp.keys.read}` })
  try {
    for (const [revision, scenarios] of Object.entries(withoutFixtures)) {
      const failing = []
      for (const scenario of scenarios) {
        const args = ['server', '--url', proxy.url, '--scenario', scenario, '--spec-version', revision]
        const { status, stdout } = await runConformance(args, signal)
        if (status !== 0 || !/^Passed: [1-9]/m.test(stdout)) failing.push(scenario)
      }
      const line = `svc up, conformance ${revision}: ${scenarios.length - failing.length} of ${scenarios.length} scenarios`
      if (failing.length === 0) report.passed(`${line} that need no fixture pass`)
      else report.failed(`${line} that need no fixture pass; failing: ${failing.join(', ')}`)
    }
  } finally {
    await proxy.close()
  }
}

const withoutFixtures = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'prompts-list',
    'resources-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'prompts-list',
    'resources-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
  ],
}
