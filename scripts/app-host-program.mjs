// What runs in the page of `app-host.mjs`.
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
