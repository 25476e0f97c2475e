import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { refusingRedirects } from './open-eras.ts'

/** As workerd does. */
const platform: typeof fetch = (input, init) =>
  init?.redirect === 'error' ? Promise.reject(new TypeError('Invalid redirect value')) : fetch(input, init)

test('what a place answers comes through, and a redirect is neither followed nor given', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    if (url === '/moved') response.writeHead(307, { location: '/inside' }).end('moved')
    else response.end('here')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const place = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const get = refusingRedirects(platform)
  try {
    expect(await (await get(`${place}/plain`, { redirect: 'error' })).text()).toBe('here')
    await expect(get(`${place}/moved`, { redirect: 'error' })).rejects.toThrow('not followed')
    expect(asked).toEqual(['/plain', '/moved'])
    expect(await (await get(`${place}/moved`)).text(), 'of those who follow').toBe('here')
  } finally {
    server.close()
  }
})
