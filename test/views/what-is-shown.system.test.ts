import { describe, expect, test } from 'vitest'
import { backtestAnswer } from '../../packages/tool-server/src/charts/answers.fixture.ts'
import { backtestCurves } from '../../packages/tool-server/src/charts/picture-data.fixture.ts'
import { hostile } from './tools.fixture.ts'
import { openViewHost } from './view-host.fixture.ts'

const { connect, show, tell, text } = openViewHost()

describe.each(['legacy', 'modern'] as const)('a client of the %s era', (era) => {
  test('that shows views is told of them and given what they draw; any other client is not', async () => {
    const [app, other] = [await connect(era, true), await connect(era, false)]
    const [listed, plain] = [await app.listTools(), await other.listTools()]
    const uris = ['ui://svc/lp-backtest.html', 'ui://svc/lp-range.html']
    expect(listed.tools.map(({ _meta }) => _meta)).toEqual(uris.map((resourceUri) => ({ ui: { resourceUri } })))
    expect(plain.tools).toEqual(listed.tools.map(({ _meta, ...rest }) => rest))
    expect((await app.listResources()).resources.map(({ uri }) => uri).toSorted()).toEqual(['svc://errors', ...uris])
    expect((await other.listResources()).resources.map(({ uri }) => uri)).toEqual(['svc://errors'])
    expect(app.getServerCapabilities()?.extensions).toHaveProperty(['io.modelcontextprotocol/ui'])
    const ask = { name: 'backtest_lp_strategy', arguments: { token0: 'WETH' } }
    const [shown, reported] = [await app.callTool(ask), await other.callTool(ask)]
    expect(shown._meta?.['svc/drawing']).toEqual({ kind: 'backtest', curves: backtestCurves() })
    expect(reported._meta?.['svc/drawing']).toBeUndefined()
    expect(reported.structuredContent).toEqual(shown.structuredContent)
    expect(reported.content[0]).toEqual({ type: 'text', text: JSON.stringify(reported.structuredContent) })
    await Promise.all([app.close(), other.close()])
  })

  test('shows a choice of range with its errors, seed and method', async () => {
    const { call, view, close } = await show('optimize_lp_range', { era })
    await call({ token0: 'WETH', horizonDays: 30 })
    await view.locator('canvas').waitFor()
    const said = await text()
    for (const words of [
      'WETH/USDC on Ethereum',
      '2,486 to 3,656',
      '± 9.6',
      '± 17, 95 %: -23 to 63: fees less LVR',
      '± 1.2 by the volatility; of',
      'LVR a year',
      'Bars found: 711 of 720',
    ])
      expect(said).toContain(words)
    await view.locator('summary').click()
    expect(await text()).toContain('8,192 simulated paths, seed 7. Geometric Brownian motion')
    expect(await view.getByRole('row', { name: 'full range' }).innerText()).toContain('no upper bound')
    await close()
  })
})

test('a backtest is shown with its curves, and what each strategy came to', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  await call({ token0: 'WETH' })
  await view.locator('canvas').waitFor()
  const said = await text()
  for (const words of ['3 strategies replayed', '$830', '± 150', 'One past of 60 days', 'What it earned and cost'])
    expect(said).toContain(words)
  expect(await view.getByRole('row', { name: 'medium 10,420' }).innerText()).toContain('unknown')
  await close()
})

test('says what is going on: waiting, a question being written, a call under way, an end without an answer', async () => {
  const { view, close } = await show('optimize_lp_range')
  const status = view.getByRole('status')
  expect(await status.innerText()).toBe('Waiting for the host.')
  expect(await view.locator('main').getAttribute('aria-busy')).toBe('true')
  await tell('partial', { token0: 'WE' })
  await status.filter({ hasText: 'The question is being written: WE.' }).waitFor()
  await tell('input', { token0: 'WETH', token1: hostile, chain: 1 })
  await status.filter({ hasText: `weighing ranges: WETH/${hostile} on 1.` }).waitFor()
  await tell('cancel', 'no time')
  await status.filter({ hasText: 'The call was cancelled: no time' }).waitFor()
  expect(await view.locator('main').getAttribute('aria-busy')).toBe('false')
  await tell('result', { content: [{ type: 'text', text: '{}' }], structuredContent: {} })
  await status.filter({ hasText: 'The answer is empty' }).waitFor()
  await tell('result', { content: [], structuredContent: { optimalRange: {}, projections: {} } })
  await status.filter({ hasText: 'not of the form' }).waitFor()
  await close()
})

test('a failure is shown with its code, the field and the mend; one that ran out of time with what was known', async () => {
  const { call, view, close } = await show('optimize_lp_range')
  await call({ token0: 'none' })
  const alert = await view.getByRole('alert').innerText()
  expect(alert).toContain('There is no such pool.')
  expect(alert).toContain('What to do: ')
  expect(alert).toContain(`fee: No pool of ${hostile}.`)
  expect(alert).toContain('POOL_NOT_FOUND')
  expect(await view.locator('canvas').count()).toBe(0)
  await close()
  const slow = await show('optimize_lp_range')
  await slow.call({ token0: 'slow', horizonDays: 7 })
  await slow.view.locator('canvas').waitFor()
  expect(await text()).toContain('SIMULATION_TIMEOUT')
  expect(await text()).toContain('What was known in time stands below.')
  expect(await text()).toContain('of 7 days')
  await slow.close()
})

test('an answer without strategies, and one whose drawing the host kept to itself', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  const { _meta, ...kept } = await call({ token0: 'empty' })
  await view.getByRole('status').filter({ hasText: 'The answer is empty' }).waitFor()
  await tell('result', { ...kept, structuredContent: backtestAnswer })
  await view.getByText('The host did not pass on what the chart is drawn from.').waitFor()
  expect(await text()).toContain('What it earned and cost')
  await close()
})

test('a drawing that is none of ours is left out, and the figures stand', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  const { _meta, ...kept } = await call({ token0: 'empty' })
  await view.getByRole('status').filter({ hasText: 'The answer is empty' }).waitFor()
  const foreign = { 'svc/drawing': { kind: 'other' } }
  await tell('result', { ...kept, structuredContent: backtestAnswer, _meta: foreign })
  await view.getByText('The host did not pass on what the chart is drawn from.').waitFor()
  await close()
})

test('hears the host alone, in the words of the protocol, and goes when it is told to', async () => {
  const { view, close } = await show('optimize_lp_range')
  for (const words of [
    'words',
    null,
    7,
    [],
    { jsonrpc: '2.0' },
    { method: 'ui/notifications/tool-cancelled', params: {} },
  ])
    await tell('disturb', words)
  // A window that is not the parent says what the host may say.
  const said = { jsonrpc: '2.0', method: 'ui/notifications/tool-cancelled', params: { reason: 'a stranger' } }
  await view.evaluate(`postMessage(${JSON.stringify(said)}, '*')`)
  expect(await tell('teardown')).toEqual({})
  expect(await text()).toBe('Waiting for the host.')
  await close()
})

test('the reader chooses whose ranges the chart of a backtest shows, with the keyboard too', async () => {
  const { call, view, close } = await show('backtest_lp_strategy')
  await call({ token0: 'WETH' })
  await view.locator('canvas').waitFor()
  const choice = view.getByLabel('Ranges, fees and loss of')
  expect(await choice.inputValue()).toBe('narrow')
  expect(await choice.locator('option').allInnerTexts()).toEqual(['narrow', 'medium', 'full-range'])
  const drawn = () => view.evaluate<string>("document.querySelector('canvas').toDataURL()")
  const before = await drawn()
  await choice.focus()
  await choice.press('ArrowDown')
  await expect.poll(drawn).not.toBe(before)
  expect(await choice.inputValue()).toBe('medium')
  await close()
})

test('where there is nothing to choose, no choice is offered', async () => {
  const { call, view, close } = await show('optimize_lp_range')
  await call({ token0: 'WETH' })
  await view.locator('canvas').waitFor()
  expect(await view.locator('select').count()).toBe(0)
  await close()
})
