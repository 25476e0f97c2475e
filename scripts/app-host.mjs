// node scripts/app-host.mjs: prints a page that is a host of MCP Apps, made of the extension's own `AppBridge`. It shows one
// view in a sandboxed frame and is driven through `appHost`; the tests and the pictures of the views use it.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export async function appHostPage() {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    logLevel: 'warning',
  })
  const script = outputFiles[0].text.replaceAll('</script', String.raw`<\/script`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<style>body { margin: 0 } iframe { border: 0; width: 100%; display: block }</style></head><body><script>${script}</script></body></html>`
}

const program = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
let bridge, frame
const sizes = []
globalThis.appHost = {
  sizes,
  /** Shows a view and resolves when it has said hello. */
  async open(html, theme) {
    await bridge?.close()
    frame?.remove()
    frame = document.createElement('iframe')
    frame.title = 'View'
    frame.sandbox = 'allow-scripts'
    document.body.append(frame)
    bridge = new AppBridge(null, { name: 'host', version: '1' }, {}, { hostContext: { theme, platform: 'web' } })
    const hello = new Promise((resolve) => (bridge.oninitialized = resolve))
    bridge.onsizechange = ({ width, height }) => {
      sizes.push([width, height])
      frame.style.height = height + 'px'
    }
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
    frame.srcdoc = html
    await hello
    return bridge.getAppVersion()
  },
  partial: (input) => bridge.sendToolInputPartial({ arguments: input }),
  input: (input) => bridge.sendToolInput({ arguments: input }),
  result: (result) => bridge.sendToolResult(result),
  cancel: (reason) => bridge.sendToolCancelled({ reason }),
  theme: (theme) => bridge.setHostContext({ theme, platform: 'web' }),
  /** Says what is no message of the protocol, and what another window says. */
  disturb(words) {
    frame.contentWindow.postMessage(words, '*')
  },
  teardown: () => bridge.teardownResource({}),
}
`

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await appHostPage())
