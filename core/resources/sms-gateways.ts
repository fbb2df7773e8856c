import { GATEWAY_KEYS } from '../sms/gateway-options.ts'
import { boolean, integer, json, text } from './field.ts'
import { resource } from './resource.ts'
import { rules } from './values/text-rules.ts'

export const smsGateways = resource({
  name: 'sms_gateways',
  path: 'sms-gateways',
  label: 'SMS gateway',
  fields: {
    name: text(255, { examples: ['Jasmin'] }),
    provider_type: text(100, { examples: ['jasmin'] }),
    server_host: text(255, { rule: rules.host, examples: ['sms.example.com'] }),
    server_port: integer({ min: 1, max: 65535, examples: [8080] }),
    api_path: text(255, { optional: true, fallback: 'send', examples: ['send'] }),
    username: text(255, { examples: ['trunkline'] }),
    password: text(255, { untrimmed: true, secret: true, writeOnly: true, examples: ['s3cret words'] }),
    default_sender_id: text(30, { optional: true, examples: ['ACME'] }),
    callback_token: text(255, { optional: true, secret: true, examples: ['f1b6c0de'] }),
    is_active: boolean(),
    use_ssl: boolean(),
    notes: text(null, { optional: true, examples: ['Second carrier'] }),
    meta: json(GATEWAY_KEYS),
  },
  brief: ['name', 'provider_type', 'server_host', 'server_port', 'default_sender_id', 'is_active'],
  search: ['name', 'server_host', 'provider_type'],
  key: ['name'],
  put: 'clear',
  patch: 'merge',
  embeds: [{ kind: 'count', name: 'messages_count', of: 'sms_messages', by: 'sms_gateway_id', in: 'views' }],
})
