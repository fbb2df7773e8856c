import { boolean, integer, text } from './field.ts'
import { resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

/** A carrier for incoming and outgoing calls. */
export const trunks = resource({
  name: 'trunks',
  path: 'trunks',
  label: 'Trunk',
  fields: {
    name: text(63, { rule: rules.switchName, examples: ['carrier-one'] }),
    host: text(255, { rule: rules.host, examples: ['sip.carrier.example.com'] }),
    port: integer({ min: 1, max: 65535, fallback: 5060, examples: [5060] }),
    transport: text(3, { fallback: 'udp', rule: rules.oneOf('udp', 'tcp', 'tls'), examples: ['udp'] }),
    username: text(255, { optional: true, rule: rules.sipUser, examples: ['acme'] }),
    secret: text(255, { optional: true, untrimmed: true, secret: true, writeOnly: true, examples: ['s3cret words'] }),
    registers: boolean(),
    number_form: text(10, { fallback: 'e164', rule: rules.oneOf('e164', 'digits', 'national'), examples: ['e164'] }),
    codecs: text(255, { optional: true, rule: rules.codecs, examples: ['PCMA,PCMU'] }),
    max_calls: integer({ optional: true, min: 1, unit: 'calls', examples: [30] }),
    status: text(50, { known: ['active', 'inactive'] }),
  },
  search: ['name', 'host'],
  unique: [['name']],
  key: ['name'],
  brief: ['name', 'host', 'registers', 'max_calls', 'status'],
})
