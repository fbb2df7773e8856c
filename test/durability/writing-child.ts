import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { smsGateways } from '../../core/resources/sms-gateways.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { insert } from '../support/data/rows.ts'
import { queuedMessage } from '../support/messaging/messages.ts'

/**
 * A process that writes endlessly, with several writers at once, and prints what was acknowledged in the same turn,
 * each as one line written whole: `cdr ID`, `sent ID` (a settled message) and `received ID`. Every other receipt comes
 * before its message is settled, so that it waits and is applied with it.
 */
const [path = '', round = ''] = process.argv.slice(2)
const WRITERS = 8
const GATEWAY = 1
const storage = openStorage(path, { clock: systemClock(), create: true, migrate: true })
const { records, messages } = storage
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const receive: Parameters<typeof messages.receive>[2] = (message, { status, externalId }) => ({
  ...message,
  delivery_status: `${message.delivery_status}+${status}`,
  remote_response: JSON.stringify({ externalId }),
})

const [tenant] = await records.identify(tenants, { slug: 'only' })
const tenant_id = tenant ?? (await insert(records, 'tenants', { slug: 'only' })).id
if ((await records.find(smsGateways, GATEWAY)) === null) await insert(records, 'sms_gateways')
print('ready')

async function call(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const { id } = await insert(records, 'cdrs', { tenant_id, caller_number: `${round}-${writer}-${n}` })
    print(`cdr ${id}`)
  }
}

async function send(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const externalId = `${round}-${writer}-${n}`
    const { id: _, ...message } = queuedMessage({ sms_gateway_id: GATEWAY, tenant_id })
    const { id } = await messages.create(message, '9999-12-31T00:00:00.000000Z')
    const early = n % 2 === 0
    if (early)
      await messages.receive(
        GATEWAY,
        { externalId, reference: null, status: 'received', payload: {}, size: 2 },
        receive,
        '192.0.2.1',
      )
    await messages.settle(
      id,
      queued => ({ ...queued, delivery_status: 'submitted', external_message_id: externalId }),
      receive,
    )
    print(`${early ? 'received' : 'sent'} ${id}`)
    if (early) continue
    await messages.receive(
      GATEWAY,
      { externalId, reference: null, status: 'received', payload: {}, size: 2 },
      receive,
      '192.0.2.1',
    )
    print(`received ${id}`)
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => (writer % 2 ? call(writer) : send(writer))))
