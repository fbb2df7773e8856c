import { prove } from '../contracts/all.ts'
import { fakeStorage } from './storage.ts'

prove({
  name: 'the fake',
  serves: [
    'records',
    'messages',
    'accounts',
    'sessions',
    'audit',
    'notices',
    'serverKeys',
    'retention',
    'smsRoutes',
    'trunkRoutes',
  ],
  open: fakeStorage,
})
