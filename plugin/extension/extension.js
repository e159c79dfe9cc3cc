// The extension of Argo CD's user interface: the tab "VM" of a VirtualMachine, and the view "VMs" of an Application.
//
// Argo CD loads this file as it is (docs/developer-guide/extensions/ui-extensions.md of argo-cd): there is no bundler
// and no back end. React comes from the page, 16 up to Argo CD 3.4 and 19 from 3.5 on, so this file uses only
// React.createElement, useState and useEffect.
//
// What a sync does to a VM is found by the rules of `vmrender plan`, which are data. A browser has neither the settings
// of the cluster nor the whole of Git, so it evaluates only conditions about the two sides of a change. If others
// decide, the result is a range, from the mildest to the worst level that may apply: never milder than a plan.
((window) => {
  'use strict';

  // The levels and the rules; `make generate` inserts them.
  const TABLES = null;

  const ORDER = '[]'; // the last segment of the path of a list in which only the order differs
  const CREATED = '(created)';
  const REMOVED = '(removed)';
  const LEVEL = {};
  TABLES.levels.forEach((l, i) => {
    LEVEL[l.name] = i;
  });

  // ---- Objects -------------------------------------------------------------------------------------------------

  const isMap = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
  const isNone = (v) => v === undefined || v === null;
  const names = (list) => list.map(entryName);

  // entryName returns the name of an entry of a list, or ''. Templates of DataVolumes have theirs in metadata.
  function entryName(v) {
    if (!isMap(v)) return '';
    const inner = isMap(v.metadata) ? v.metadata.name : '';
    return [v.name, inner].find((n) => typeof n === 'string' && n !== '') || '';
  }

  // keyed returns the entries of a list by '[name]', or null if they have no distinct names.
  function keyed(list) {
    const out = new Map(list.map((v) => ['[' + entryName(v) + ']', v]));
    return out.has('[]') || out.size !== list.length ? null : out;
  }

  // at returns the value at a path, or undefined. A segment such as '[data]' names the entry of a list.
  function at(v, ...path) {
    for (const segment of path) {
      if (Array.isArray(v)) v = v.find((e) => '[' + entryName(e) + ']' === segment);
      else if (isMap(v)) v = v[segment];
      else return undefined;
    }
    return v;
  }

  const list = (v, ...path) => {
    const l = at(v, ...path);
    return Array.isArray(l) ? l : [];
  };
  const annotation = (object, key) => at(object, 'metadata', 'annotations', key) || '';
  const label = (object, key) => at(object, 'metadata', 'labels', key) || '';
  const spec = (vm) => at(vm, 'spec', 'template', 'spec');
  const condition = (object, type) => list(object, 'status', 'conditions').find((c) => c.type === type) || {};

  // syncOption returns the value of an option of Argo CD on an object, such as 'false' for Prune.
  function syncOption(object, name) {
    const all = annotation(object, 'argocd.argoproj.io/sync-options')
      .split(',')
      .map((o) => o.trim());
    const found = all.filter((o) => o.startsWith(name + '=')).pop();
    return found ? found.slice(name.length + 1) : '';
  }

  // claimOf returns the claim of a volume, or ''.
  const claimOf = (volume) =>
    at(volume, 'dataVolume', 'name') || at(volume, 'persistentVolumeClaim', 'claimName') || '';
  const volume = (vm, entry) => at(spec(vm), 'volumes', entry);
  const claims = (vm) =>
    list(spec(vm), 'volumes')
      .map(claimOf)
      .filter((c) => c);

  // withRunStrategy returns a VM with a run strategy in place of its older form, `running`.
  function withRunStrategy(vm) {
    const running = at(vm, 'spec', 'running');
    if (isNone(running)) return vm;
    const rest = Object.assign({}, vm.spec, { runStrategy: running ? 'Always' : 'Halted' });
    delete rest.running;
    return Object.assign({}, vm, { spec: rest });
  }

  // ---- Differences, as pkg/diff finds them ---------------------------------------------------------------------

  const QUANTITY_FIELDS = ['capacity', 'guest', 'maxGuest', 'sizeLimit', 'divisor'];
  const QUANTITY_MAPS = ['requests', 'limits', 'hard', 'capacity'];
  const UNITS = {
    n: 1e-9,
    u: 1e-6,
    m: 1e-3,
    '': 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    P: 1e15,
    E: 1e18,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
    Ei: 2 ** 60,
  };

  // amount returns the number that a quantity of Kubernetes stands for, or NaN.
  function amount(v) {
    const parts = /^([+-]?[0-9.]+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?$/.exec(String(v));
    return parts ? Number(parts[1]) * (parts[3] ? 10 ** Number(parts[3]) : UNITS[parts[2] || '']) : NaN;
  }

  const isQuantity = (path) =>
    QUANTITY_FIELDS.includes(path[path.length - 1]) || QUANTITY_MAPS.includes(path[path.length - 2]);

  // canonical returns a value as text, with the keys of maps in order.
  function canonical(v) {
    if (Array.isArray(v)) return '[' + v.map(canonical).join(',') + ']';
    if (!isMap(v)) return JSON.stringify(isNone(v) ? null : v);
    return (
      '{' +
      Object.keys(v)
        .sort()
        .map((k) => JSON.stringify(k) + ':' + canonical(v[k]))
        .join(',') +
      '}'
    );
  }

  const isSame = (a, b) => canonical(a) === canonical(b);

  // isEqual reports whether two values of a field are the same, also in other spellings of a quantity.
  function isEqual(path, a, b) {
    if (isSame(a, b)) return true;
    const isText = typeof a !== 'number' || typeof b !== 'number';
    return !(isText && !isQuantity(path)) && amount(a) === amount(b);
  }

  const isFilled = (v) => isMap(v) && Object.keys(v).length > 0;

  // compare adds the fields that differ below a path to found.
  function compare(path, was, now, found) {
    if (isSame(was, now)) return;
    if ((isMap(was) && isMap(now)) || (isFilled(was) && isNone(now)) || (isFilled(now) && isNone(was))) {
      const keys = new Set(Object.keys(was || {}).concat(Object.keys(now || {})));
      [...keys].sort().forEach((k) => compare(path.concat(k), (was || {})[k], (now || {})[k], found));
      return;
    }
    if (compareLists(path, was, now, found) || isEqual(path, was, now)) return;
    found.push({ path, was, now });
  }

  // compareLists compares two lists entry by entry, and reports whether their entries have names.
  function compareLists(path, was, now, found) {
    if (!Array.isArray(was) && !Array.isArray(now)) return false;
    if ([was, now].some((v) => !Array.isArray(v) && !isNone(v))) return false;
    const a = keyed(was || []),
      b = keyed(now || []);
    if (!a || !b) return false;
    [...new Set([...a.keys(), ...b.keys()])].sort().forEach((key) => {
      if (a.has(key) && b.has(key)) compare(path.concat(key), a.get(key), b.get(key), found);
      else found.push({ path: path.concat(key), was: a.get(key), now: b.get(key) });
    });
    const common = (all, other) =>
      names(all || [])
        .filter((n) => other.has('[' + n + ']'))
        .join('\n');
    if (common(was, b) !== common(now, a)) found.push({ path: path.concat(ORDER), was: names(was), now: names(now) });
    return true;
  }

  // changesOf returns what differs between two sides of an object, without its status and what the API server sets.
  function changesOf(old, now) {
    if (!old) return [{ path: [CREATED] }];
    if (!now) return [{ path: [REMOVED] }];
    const found = [];
    const without = (side) => {
      const rest = Object.assign({}, side);
      ['status', 'apiVersion', 'kind'].forEach((k) => delete rest[k]);
      rest.metadata = Object.assign({}, rest.metadata);
      ['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink'].forEach(
        (k) => delete rest.metadata[k],
      );
      return rest;
    };
    compare([], without(old), without(now), found);
    return found;
  }

  // differs reports whether a sync changes anything of a pair, also what means the same, such as 4096Mi for 4Gi.
  const differs = (pair) => {
    const text = (side) => JSON.stringify(Object.assign({}, side, { status: null }));
    return !pair.old || !pair.now || text(pair.old) !== text(pair.now);
  };

  // display returns a path for people: 'spec.volumes[data].name'.
  const display = (path) =>
    path
      .filter((s) => ![ORDER, CREATED, REMOVED].includes(s))
      .map((s, i) => {
        if (s.startsWith('[')) return s;
        return /[./[\]" ]/.test(s) ? '["' + s + '"]' : (i ? '.' : '') + s;
      })
      .join('');

  // ---- Rules ---------------------------------------------------------------------------------------------------

  // matched returns the number of segments of a path that a pattern stands for, or 0.
  function matched(pattern, path) {
    for (let i = 0; i < pattern.length; i++) {
      if (pattern[i] === '**') return i;
      const isEntry = pattern[i] === '[*]' && i < path.length && path[i].startsWith('[') && path[i] !== ORDER;
      if (i >= path.length || !(pattern[i] === '*' || isEntry || pattern[i] === path[i])) return 0;
    }
    return pattern.length === path.length ? path.length : 0;
  }

  const isEntry = (s) => s.startsWith('[') && s !== ORDER;
  const entry = (path) => path.find(isEntry) || '';
  const item = (path) => (path.some(isEntry) ? path.slice(0, path.findIndex(isEntry) + 1) : path);
  const both = (e, find) => [e.old, e.now].map((side) => find(side, entry(e.path)));
  const volumes = (e) => both(e, volume);
  const disks = (e) => both(e, (side, name) => at(spec(side), 'domain', 'devices', 'disks', name));
  const nics = (e) => both(e, (side, name) => at(spec(side), 'domain', 'devices', 'interfaces', name));
  const networks = (e) => both(e, (side, name) => at(spec(side), 'networks', name));
  const domain = (side, ...path) => at(spec(side), 'domain', ...path);
  const isHotpluggable = (v) =>
    Boolean(at(v, 'dataVolume', 'hotpluggable') || at(v, 'persistentVolumeClaim', 'hotpluggable'));
  const isMoved = (e) => volumes(e).every((v) => v) && claimOf(volumes(e)[0]) !== claimOf(volumes(e)[1]);
  const isEmpty = (v) => isNone(v) || v === '' || canonical(v) === '{}' || canonical(v) === '[]';
  const hasOne = (two) => isNone(two[0]) !== isNone(two[1]);
  const migrates = (e) => at(e.now, 'spec', 'updateVolumesStrategy') === 'Migration';
  const architecture = (e) => at(spec(e.old), 'architecture') || '';
  const not = (f) => (e) => {
    const is = f(e);
    return is === undefined ? undefined : !is;
  };
  const unlessSet = (v, is) => (isNone(v) ? undefined : is);

  // sized compares two sizes, and returns undefined if one of them is none.
  function sized(a, b, is) {
    const [x, y] = [amount(a), amount(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? undefined : is(x, y);
  }

  // exceeds returns the condition that the new value is above a limit of the VM.
  const exceeds =
    (...limit) =>
    (e) => {
      const most = domain(e.now, ...limit);
      return isNone(most) ? false : sized(e.value, most, (value, limit) => value > limit);
    };

  // differ returns a condition on two sizes, which is unknown here if one of them is not set.
  const differ = (is) => (e) => sized(e.was, e.value, is);

  const wasCDROM = (e) => !isNone(at(disks(e)[0], 'cdrom'));
  const isLUN = (e) => !isNone(at(disks(e)[1], 'lun'));
  const isAdded = (e) => isNone(at(e.old, ...item(e.path)));
  const isRemoved = (e) => isNone(at(e.now, ...item(e.path)));
  const isStopped = (e) => (e.runs === undefined ? undefined : !e.runs);

  // PREDICATES are the conditions of rules that depend on the two sides of a change only, by their text. They return
  // true, false, or undefined if the sides do not tell.
  const PREDICATES = {
    added: isAdded,
    removed: isRemoved,
    'not added': not(isAdded),
    'not removed': not(isRemoved),
    raised: differ((was, now) => was < now),
    lowered: differ((was, now) => was > now),
    'another size': differ((was, now) => was !== now),
    'it was requested already': (e) => unlessSet(e.was, false),
    'above maxSockets': exceeds('cpu', 'maxSockets'),
    'above maxGuest': exceeds('memory', 'maxGuest'),
    'cpu or its sockets were not set': (e) => isNone(domain(e.old, 'cpu')),
    'added or removed': (e) => isNone(e.was) || isNone(e.value),
    'empty or absent': (e) => isEmpty(e.was) && isEmpty(e.value),
    'architecture is arm64': (e) => architecture(e) === 'arm64',
    'architecture is not amd64': (e) => !['amd64', ''].includes(architecture(e)),
    'the VM is stopped': isStopped,
    'the VM may run': not(isStopped),
    'the VM runs': (e) => e.runs,
    'its guest has shut down': (e) => (e.runs ? false : undefined),
    'Prune=false': (e) => syncOption(e.old, 'Prune') === 'false',
    'Force=true': (e) => [e.old, e.now].some((side) => syncOption(side, 'Force') === 'true'),
    hotpluggable: (e) => volumes(e).some((v) => v) && volumes(e).every((v) => !v || isHotpluggable(v)),
    'not hotpluggable': (e) => !PREDICATES.hotpluggable(e),
    'hotpluggable is turned on': (e) => !isHotpluggable(volumes(e)[0]) && isHotpluggable(volumes(e)[1]),
    'with its volume': (e) => hasOne(volumes(e)),
    'with its interface': (e) => hasOne(nics(e)),
    'another claim': isMoved,
    'no other claim': not(isMoved),
    'the same claim': (e) => claimOf(volumes(e)[0]) === claimOf(volumes(e)[1]),
    'a claim': (e) => claimOf(volumes(e)[1]) !== '',
    'a CD-ROM drive': wasCDROM,
    'a disk': not(wasCDROM),
    'a LUN': isLUN,
    'no LUN': not(isLUN),
    'a cloud-init volume': (e) => ['cloudInitNoCloud', 'cloudInitConfigDrive'].some((s) => at(volumes(e)[1], s)),
    'the pod network': (e) => !isNone(at(networks(e)[1], 'pod')),
    'SR-IOV': (e) => !isNone(at(nics(e)[1], 'sriov')),
    bridge: (e) => !isNone(at(nics(e)[1], 'bridge')),
    'state is absent': (e) => at(nics(e)[1], 'state') === 'absent',
    'bridge or SR-IOV on a Multus network': (e) =>
      !isNone(at(networks(e)[1], 'multus')) && (PREDICATES.bridge(e) || PREDICATES['SR-IOV'](e)),
    'updateVolumesStrategy is Migration': migrates,
    'updateVolumesStrategy is not Migration': not(migrates),
    'not copied': (e) => !migrates(e) || !isMoved(e),
  };

  // holds evaluates the condition of a rule: true, false, or undefined if it depends on what is unknown here. A
  // condition of several parts holds if all of them do.
  function holds(rule, edit) {
    const parts = (rule.if || '').split(', ').filter((p) => p);
    const results = parts.map((part) => {
      const becomes = /^becomes (.+)$/.exec(part);
      if (becomes) return becomes[1].split(' or ').includes(edit.value);
      return PREDICATES[part] ? PREDICATES[part](edit) : undefined;
    });
    if (results.includes(false)) return false;
    return results.includes(undefined) || rule.versions ? undefined : true;
  }

  // candidates returns the rules that may apply to a change: all up to the first that surely does.
  function candidates(rules, edit) {
    const out = [];
    for (const rule of rules) {
      const n = matched(rule.pattern, edit.path);
      const is = n > 0 ? holds(rule, edit) : false;
      if (is !== false) out.push({ rule, n });
      if (is === true) break;
    }
    return out;
  }

  // runs reports whether a VM runs: true, false, or undefined if it is unknown.
  function runs(vm) {
    const status = at(vm, 'status', 'printableStatus');
    if (status)
      return status === 'Stopped' ? false : ['Running', 'Migrating', 'Paused'].includes(status) || undefined;
    return { Always: true, Halted: false }[at(vm, 'spec', 'runStrategy')];
  }

  // ranged returns the mildest and the worst level of a rule, after what KubeVirt does to a VM that does not run, and
  // to one that needs a restart: it takes the change at its next start (pkg/impact, Combine).
  function ranged(rule, vm) {
    let { level: low, worst: high } = rule;
    const isTaken = rule.instance && rule.level >= LEVEL.live && rule.level <= LEVEL.power;
    const waits = rule.handled && condition(vm.live, 'RestartRequired').status === 'True';
    if (isTaken && (vm.stops || waits)) {
      if (vm.runs === false && rule.worst <= LEVEL.refused) return [LEVEL.staged, LEVEL.staged];
      low = Math.min(low, LEVEL.staged);
      high = Math.max(high, LEVEL.staged);
    }
    return [low, high];
  }

  // keyOf returns the key of the values file that sets a field.
  function keyOf(rule, path) {
    const name = entry(path).replace(/^\[|\]$/g, '');
    if (!rule.key || rule.key === '*') return '';
    if (name === 'cloudinitdisk' && rule.key === 'disks[*]') return 'cloudInit';
    return rule.key.replace('[*]', name ? '.' + (name === 'rootdisk' ? 'root' : name) : '');
  }

  // causeOf returns what a change does: a range of levels, with the reasons that may apply, the worst first.
  function causeOf(kind, edit, vm) {
    const found = candidates(TABLES.rules[kind] || [], edit);
    const levels = found.map((f) => ranged(f.rule, vm));
    const low = Math.min(...levels.map((l) => l[0])),
      high = Math.max(...levels.map((l) => l[1]));
    const last = found[found.length - 1];
    const shown =
      low === high ? [last.rule] : found.map((f) => f.rule).sort((a, b) => b.worst - a.worst || b.level - a.level);
    const isWhole = edit.path[0] === CREATED || edit.path[0] === REMOVED;
    return {
      path: isWhole ? '' : display(edit.path.slice(0, last.n)),
      key: keyOf(last.rule, edit.path),
      low,
      high,
      reasons: distinct(
        shown.map((r) => ({
          level: r.level,
          worst: r.worst,
          if: conditionOf(r, edit),
          text: r.reason,
          advice: r.advice,
          when: r.when,
          doubt: r.doubt,
        })),
      ),
    };
  }

  // conditionOf returns the part of the condition of a rule that is unknown here.
  const conditionOf = (r, edit) =>
    [r.versions]
      .concat(
        (r.if || '')
          .split(', ')
          .filter((part) => !part.startsWith('becomes ') && !(PREDICATES[part] && PREDICATES[part](edit))),
      )
      .filter((t) => t)
      .join(', ');
  const distinct = (all) =>
    all.filter((r, i) => all.findIndex((o) => o.level === r.level && o.text === r.text) === i);
  const cause = (low, high, text, more) =>
    Object.assign({ path: '', key: '', low, high, reasons: [{ level: high, worst: high, text }] }, more);

  // ---- Verdicts ------------------------------------------------------------------------------------------------

  // fields returns the causes of the fields of an object that change, each once.
  function fields(kind, old, now, vm) {
    const out = [];
    changesOf(old, now).forEach((c) => {
      const found = causeOf(kind, { path: c.path, was: c.was, value: c.now, old, now, runs: vm.runs }, vm);
      const same = out.find((o) => o.path === found.path && isSame(o.reasons, found.reasons));
      if (!same) out.push(found);
    });
    return out.filter((c) => c.high > LEVEL.none);
  }

  // ofMachine returns the causes of a VM without what belongs to it.
  function ofMachine(pair, world) {
    const { old, now } = pair;
    if (!now && !old) return [];
    if (!now) return [removal(old)];
    if (!old) return [creation(pair, world)];
    const isReplaced = [old, now].some(
      (s) => syncOption(s, 'Force') === 'true' && syncOption(s, 'Replace') === 'true',
    );
    const from = withRunStrategy(old),
      to = withRunStrategy(now);
    const stops = runs(pair.live || old) !== true || at(to, 'spec', 'runStrategy') === 'Halted';
    const found = fields('VirtualMachine', from, to, { live: pair.live, stops, runs: runs(pair.live || old) });
    if (isReplaced && changesOf(from, to).length) found.push(replacement(old, found));
    else if (isReplaced && world.isResynced) found.push(resync(old));
    return found;
  }

  function removal(old) {
    if (syncOption(old, 'Prune') === 'false') {
      return cause(
        LEVEL.left,
        LEVEL.left,
        'Prune=false keeps the VM and its disks: it continues to run, and Argo CD reports that it requires pruning',
      );
    }
    return cause(
      LEVEL.delete,
      LEVEL['data-loss'],
      'Argo CD shuts the VM down and deletes it, with the disks that belong to it',
    );
  }

  // creation returns the cause of a new VM. It can take over what another VM has, or be another one that was renamed.
  function creation(pair, world) {
    const risk = takes(pair, world);
    if (risk) return cause(LEVEL.create, risk, 'a new VM, which may have a disk or an address of another VM');
    return cause(LEVEL.create, LEVEL.create, 'a new VM');
  }

  // resync returns the cause of a VM that does not change, but that a sync of other objects deletes and creates again:
  // one without ApplyOutOfSyncOnly=true applies all objects. A sync of selected objects leaves it.
  function resync(old) {
    const text =
      'without the sync option ApplyOutOfSyncOnly=true, a sync that changes other objects also deletes this VM, ' +
      'with the disks of its templates, and recreates it';
    const worst = replacement(old, []).high;
    return cause(LEVEL.none, worst, text);
  }

  // replacement returns the cause of a VM that Argo CD deletes and creates again.
  function replacement(old, found) {
    const loses =
      list(old, 'spec', 'dataVolumeTemplates').length > 0 ||
      JSON.stringify(spec(old) || {}).includes('"persistent":true');
    const low =
      found.length && found.every((c) => c.path.startsWith('metadata.annotations')) ? LEVEL.none : LEVEL.recreate;
    return cause(
      low,
      loses ? LEVEL['data-loss'] : LEVEL.recreate,
      'Argo CD deletes the VM with the disks of its templates, and recreates it',
    );
  }

  // held returns what only one VM can have at a time: claims by namespace, and addresses and identities.
  function held(side, namespace) {
    const devices = list(spec(side), 'domain', 'devices', 'interfaces').map((n) => n.macAddress);
    const firmware = at(spec(side), 'domain', 'firmware') || {};
    const data = list(spec(side), 'volumes')
      .map((v) =>
        ['cloudInitNoCloud', 'cloudInitConfigDrive']
          .map((s) => (at(v, s, 'networkData') || '') + (at(v, s, 'networkDataBase64') || ''))
          .join(''),
      )
      .join('');
    const secrets = list(spec(side), 'volumes').some((v) => /networkDataSecretRef/i.test(JSON.stringify(v)));
    return {
      claims: claims(side).map((c) => namespace + '/' + c),
      names: devices
        .concat(firmware.uuid, firmware.serial)
        .filter((n) => n)
        .map((n) => n.toLowerCase()),
      data,
      secrets,
    };
  }

  // takes returns the worst level of what happens if a VM takes what another VM has, or 0 if it takes nothing.
  function takes(pair, world) {
    const others = world.machines.filter((m) => m !== pair);
    if (!others.some((m) => m.old)) return 0;
    const was = held(pair.old, pair.namespace),
      now = held(pair.now, pair.namespace);
    const gone = pair.old ? [] : others.filter((m) => m.old && !m.now); // the new VM may be one of them, renamed
    const isKept = gone.every((m) => syncOption(m.old, 'Prune') === 'false');
    const all = others.map((m) => [m.old, m.now].map((s) => held(s, m.namespace)));
    const has = (what, name) => all.some((two) => two.some((h) => h[what].includes(name)));
    if (!isKept || now.claims.some((c) => !was.claims.includes(c) && has('claims', c))) return LEVEL['data-loss'];
    if (gone.length || now.names.some((n) => !was.names.includes(n) && has('names', n))) return LEVEL.recreate;
    const isAddressed =
      now.data !== was.data || (now.secrets && (!pair.old || world.isOut(pair.namespace, 'Secret')));
    return isAddressed ? LEVEL.recreate : 0;
  }

  // referred returns the names of the objects that the volumes of a VM name.
  function referred(vm) {
    const out = new Set();
    const collect = (v) => {
      if (Array.isArray(v)) v.forEach(collect);
      else if (isMap(v)) {
        Object.keys(v).forEach((k) => {
          if (['claimName', 'secretName', 'name'].includes(k) && typeof v[k] === 'string') out.add(v[k]);
          collect(v[k]);
        });
      }
    };
    collect(list(spec(vm), 'volumes'));
    return out;
  }

  const isDiskOf = (disk, pair) =>
    disk.namespace === pair.namespace &&
    ([disk.old, disk.now].some((s) => label(s, 'app') === pair.name) ||
      [pair.old, pair.now].some((s) => referred(s).has(disk.name)));

  // changesOwner reports whether a disk stays, but moves from the templates of the VM to an object of its own, or back:
  // the rules of templates are about that.
  function changesOwner(disk, pair) {
    const isTemplate = (side) => !isNone(at(side, 'spec', 'dataVolumeTemplates', '[' + disk.name + ']'));
    return (!disk.old && isTemplate(pair.old)) || (!disk.now && isTemplate(pair.now));
  }

  // ofDisks returns the causes of the disks and claims of a VM.
  function ofDisks(pair, world) {
    const out = [];
    world.disks
      .filter((d) => isDiskOf(d, pair) && !changesOwner(d, pair))
      .forEach((disk) => {
        const isUsed = claims(pair.old).includes(disk.name);
        fields(disk.kind, disk.old, disk.now, {}).forEach((c) => {
          if (!disk.old && isUsed) c.high = Math.max(c.high, LEVEL.refused);
          if (!disk.old && !pair.old && c.high === LEVEL.create) return;
          out.push(Object.assign(c, { object: disk.kind + ' ' + disk.name }));
        });
      });
    return out;
  }

  // ofOthers returns the causes of objects that are out of sync, and whose content is not read here: Secrets, and
  // objects of kinds that act on VMs.
  function ofOthers(pair, world) {
    const used = new Set([...referred(pair.old), ...referred(pair.now)]);
    return world.out
      .filter((r) => r.namespace === pair.namespace)
      .map((r) => {
        const object = r.kind + ' ' + r.name;
        if (['Secret', 'ConfigMap'].includes(r.kind) && used.has(r.name)) {
          const high = r.requiresPruning ? LEVEL.delete : LEVEL.refused;
          return cause(
            LEVEL.none,
            high,
            'its content is not read here; a running guest does not see another one before its next start',
            { object },
          );
        }
        const acts = actingLevel(r);
        return acts ? cause(LEVEL.none, acts, 'an object of this kind can act on the VM', { object }) : null;
      })
      .filter((c) => c);
  }

  // actingLevel returns the worst level of a change of an object of a kind that acts on VMs, or 0. A kind that no row of
  // the table is about may act on them as well.
  function actingLevel(r) {
    const group = r.group || '';
    const parts = group.split('.');
    const level = [group + '/' + r.kind]
      .concat(group ? parts.map((_, i) => parts.slice(i).join('.') + '/') : [])
      .map((row) => TABLES.acting[row])
      .find((l) => l !== undefined);
    if (level === undefined) return r.requiresPruning ? 0 : LEVEL.live;
    return r.requiresPruning && level ? Math.max(level, LEVEL.delete) : level;
  }

  // verdictOf returns what a sync does to a VM: the range of its level, and the causes, the worst first.
  function verdictOf(pair, world) {
    const own = ofMachine(pair, world);
    const causes = own.concat(ofDisks(pair, world), ofOthers(pair, world));
    const risk = pair.old && pair.now && own.length ? takes(pair, world) : 0;
    if (risk) causes.push(cause(LEVEL.none, risk, 'another VM may have the disk or the address that the VM takes'));
    causes.sort((a, b) => b.high - a.high || b.low - a.low);
    const worst = (side) => causes.reduce((most, c) => Math.max(most, c[side]), 0);
    return { namespace: pair.namespace, name: pair.name, low: worst('low'), high: worst('high'), causes };
  }

  // worldOf returns the objects of an Application in pairs of what the cluster has and will have. items are those of
  // /managed-resources.
  function worldOf(items, application) {
    const parse = (text) => (text && text !== 'null' ? JSON.parse(text) : null);
    const pairs = items
      .filter((i) => !i.hook)
      .map((i) => {
        const live = parse(i.liveState),
          target = parse(i.targetState);
        const old = live && (parse(i.normalizedLiveState) || live);
        const now = target && ((live && parse(i.predictedLiveState)) || target);
        return { kind: i.kind, namespace: i.namespace || '', name: i.name, live, old, now };
      });
    const kinds = Object.keys(TABLES.rules);
    const out = list(application, 'status', 'resources').filter(
      (r) => !kinds.includes(r.kind) && (r.status === 'OutOfSync' || r.requiresPruning),
    );
    const isOnlyOutOfSync = list(application, 'spec', 'syncPolicy', 'syncOptions').includes('ApplyOutOfSyncOnly=true');
    return {
      isResynced: !isOnlyOutOfSync && (out.length > 0 || pairs.some(differs)),
      machines: pairs.filter((p) => p.kind === 'VirtualMachine'),
      disks: pairs.filter((p) => p.kind !== 'VirtualMachine'),
      out,
      isOut: (namespace, kind) => out.some((r) => r.namespace === namespace && r.kind === kind),
    };
  }

  // verdictsOf returns the verdicts on all VMs of an Application.
  function verdictsOf(items, application) {
    const world = worldOf(items, application);
    return world.machines.map((m) => verdictOf(m, world));
  }

  // ---- What a VM waits for -------------------------------------------------------------------------------------

  // The statuses in which a VM cannot run, with the conditions that contain the reason; as the health check has them.
  const ERRORS = {
    CrashLoopBackOff: ['Failure'],
    DataVolumeError: ['Failure', 'Synchronized', 'DataVolumesReady'],
    ErrImagePull: ['Synchronized'],
    ErrorPvcNotFound: ['Synchronized'],
    ErrorUnschedulable: ['PodScheduled'],
    ImagePullBackOff: ['Synchronized'],
  };

  const because = (text, c) => (c && (c.message || c.reason) ? text + ': ' + (c.message || c.reason) : text);
  const isTrue = (vm, type) => condition(vm, type).status === 'True';

  // approveLine returns the line of an entry that gives approvals, such as those of 'restart=FROM-TO,data=FROM-TO'.
  function approveLine(approvals) {
    const all = approvals.split(',').map((a) => a.trim().split(/[=:]\s*/));
    if (all.length === 1 && all[0][0] === 'restart') return 'approve: ' + all[0][1];
    return 'approve: {' + all.map((a) => a.join(': ')).join(', ') + '}';
  }

  // restartOf returns what a VM waits for a restart for, and who restarts it.
  function restartOf(vm) {
    const window = annotation(vm, 'vmrender.io/maintenance');
    const advice = window
      ? 'nothing to do: its maintenance restarts it (' + window + ')'
      : 'plan a restart (virtctl restart)';
    return { text: because('waits for a restart', condition(vm, 'RestartRequired')) + '; ' + advice };
  }

  // waitsOf returns what a VM waits for: texts, with a line for the values file if there is one.
  function waitsOf(vm, tree) {
    const out = [],
      status = at(vm, 'status', 'printableStatus');
    const heldAs = annotation(vm, 'vmrender.io/held');
    if (heldAs) {
      const [level, approvals] = [heldAs.split(' ')[0], heldAs.split(' ').slice(1).join(' ')];
      out.push({
        text: 'held: ' + level + '; this line of its entry releases the change',
        line: approveLine(approvals),
      });
    }
    if (ERRORS[status]) {
      const why = ERRORS[status].find(
        (type) => condition(vm, type).status === (type === 'Failure' ? 'True' : 'False'),
      );
      out.push({ text: because('does not run (' + status + ')', condition(vm, why || 'Ready')) });
    } else if (isTrue(vm, 'Failure')) out.push({ text: because('the last change failed', condition(vm, 'Failure')) });
    if (isTrue(vm, 'ManualRecoveryRequired'))
      out.push({ text: because('needs manual recovery', condition(vm, 'ManualRecoveryRequired')) });
    if (isTrue(vm, 'RestartRequired')) out.push(restartOf(vm));
    if (annotation(vm, 'vmrender.io/stage') === 'true')
      out.push({ text: 'its changes are left for its next start (stage)' });
    return out.concat(
      disksOf(vm, tree)
        .filter((d) => d.waits)
        .map((d) => ({ text: 'disk ' + d.name + ': ' + d.text })),
    );
  }

  // disksOf returns the DataVolumes of a VM in the tree, with their phase and progress: the message of their health.
  function disksOf(vm, tree) {
    const used = claims(vm);
    return list(tree, 'nodes')
      .filter(
        (n) => n.kind === 'DataVolume' && n.namespace === at(vm, 'metadata', 'namespace') && used.includes(n.name),
      )
      .map((n) => ({
        name: n.name,
        waits: at(n, 'health', 'status') !== 'Healthy',
        text: at(n, 'health', 'message') || at(n, 'health', 'status') || 'unknown',
      }));
  }

  const isMachine = (r) => (r.group || '') === 'kubevirt.io' && r.kind === 'VirtualMachine';

  // approvalsOf returns what the gate of the cluster, or Prune=false, has stopped in the last sync of a VM.
  function approvalsOf(application, namespace, name) {
    const is = (r) => isMachine(r) && r.namespace === namespace && r.name === name;
    const out = [];
    list(application, 'status', 'operationState', 'syncResult', 'resources')
      .filter(is)
      .forEach((r) => {
        const approve = /add approve: \{([^}]+)\}/.exec(r.message || '');
        if (approve)
          out.push({
            text: 'the gate waits for an approval; add this line to its entry',
            line: approveLine(approve[1]),
          });
        else if (/lifecycle: \{removal: approved\}/.test(r.message || '')) out.push(removalOf());
      });
    const isLeft = list(application, 'status', 'resources').some((r) => is(r) && r.requiresPruning);
    if (isLeft && !out.length) out.push(removalOf());
    return out;
  }

  const removalOf = () => ({
    text:
      'is in the cluster, but not in Git; to delete it, put its entry back with this line, ' +
      'and remove the entry in a later commit',
    line: 'lifecycle: {removal: approved}',
  });

  // ---- The page ------------------------------------------------------------------------------------------------

  const { React } = window;
  const h = (...args) => React.createElement(...args);

  // The colors of the text and the background are those of Argo CD, in its light and its dark theme.
  const STYLE = `
    .vmr { padding: 16px; line-height: 1.5; font-size: 14px; }
    .vmr h3 { font-size: 16px; font-weight: 600; margin: 20px 0 8px; }
    .vmr style + h3 { margin-top: 0; }
    .vmr table { border-collapse: collapse; width: 100%; margin: 0; background: none; }
    .vmr th, .vmr td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; color: inherit;
      border-bottom: 1px solid rgba(128, 128, 128, .35); }
    .vmr th { font-weight: 600; white-space: nowrap; }
    .vmr th[scope=row] { padding-right: 24px; }
    .vmr .vmr-state th { width: 1%; }
    .vmr tr, .vmr tbody, .vmr thead { background: none; border: 0; }
    .vmr ul { margin: 0; padding: 0; list-style: none; }
    .vmr li + li { margin-top: 6px; }
    .vmr code { font-family: monospace; font-size: 13px; overflow-wrap: anywhere; color: inherit;
      background: rgba(128, 128, 128, .15); padding: 1px 4px; border-radius: 3px; }
    .vmr a { color: inherit; text-decoration: underline; }
    .vmr .vmr-scroll { overflow-x: auto; }
    .vmr .vmr-level { white-space: nowrap; }
    .vmr .vmr-level::before { content: ''; display: inline-block; width: 10px; height: 10px; border-radius: 50%;
      margin-right: 6px; background: #8a8f98; }
    .vmr .vmr-mild::before { background: #3d8bd4; }
    .vmr .vmr-late::before { background: #d9a400; }
    .vmr .vmr-hard::before { background: #e06c1f; }
    .vmr .vmr-worst::before { background: #d92d20; }
    .vmr button { font: inherit; font-size: 12px; color: inherit; background: none;
      border: 1px solid rgba(128, 128, 128, .7); border-radius: 4px;
      padding: 1px 8px; margin-left: 8px; cursor: pointer; }
    .vmr .vmr-alert { border-left: 4px solid #d92d20; padding: 4px 12px; margin: 8px 0; }
    .vmr .vmr-note { font-size: 13px; margin: 8px 0 0; }
  `;

  const color = (level) =>
    level >= LEVEL.refused
      ? 'vmr-worst'
      : level >= LEVEL.power
        ? 'vmr-hard'
        : level >= LEVEL.staged
          ? 'vmr-late'
          : level >= LEVEL.live
            ? 'vmr-mild'
            : '';
  const named = (level) => TABLES.levels[level].name;
  const rangeOf = (v) => (v.low === v.high ? named(v.high) : named(v.low) + ' to ' + named(v.high) + ' [?]');

  function Level({ of }) {
    const title = of.low === of.high ? TABLES.levels[of.high].meaning : 'at worst: ' + TABLES.levels[of.high].meaning;
    return h('span', { className: 'vmr-level ' + color(of.high), title }, rangeOf(of));
  }

  // copy puts a text on the clipboard, also on pages without TLS, which have no navigator.clipboard.
  function copy(text) {
    if (window.navigator.clipboard) return window.navigator.clipboard.writeText(text);
    const area = document.createElement('textarea');
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    return Promise.resolve();
  }

  function Line({ text }) {
    const [copied, setCopied] = React.useState(false);
    const onClick = () =>
      copy(text).then(
        () => setCopied(true),
        () => setCopied(false),
      );
    return h(
      'span',
      null,
      h('code', null, text),
      h('button', { type: 'button', onClick, 'aria-label': 'Copy ' + text }, copied ? 'Copied' : 'Copy'),
    );
  }

  const Items = ({ of }) =>
    h(
      'ul',
      null,
      of.map((w, i) => h('li', { key: i }, w.text, w.line ? h('div', null, h(Line, { text: w.line })) : null)),
    );

  // get returns the answer of Argo CD's API, with the session of the user. The base of the page contains its root path.
  function get(application, what, query) {
    const name = encodeURIComponent(application.metadata.name);
    const url = new URL('api/v1/applications/' + name + '/' + what, document.baseURI);
    const all = Object.assign({ appNamespace: application.metadata.namespace || '' }, query);
    Object.keys(all).forEach((k) => url.searchParams.set(k, all[k]));
    return window.fetch(url.href, { credentials: 'same-origin' }).then((answer) =>
      answer
        .json()
        .catch(() => ({}))
        .then((body) => {
          if (!answer.ok) throw new Error(`Argo CD's API: ${answer.status} ${body.message || answer.statusText}`);
          return body;
        }),
    );
  }

  const GROUPS = { VirtualMachine: 'kubevirt.io', DataVolume: 'cdi.kubevirt.io', PersistentVolumeClaim: '' };

  // fetchManaged returns the VMs, disks and claims of an Application. It reads no other kind, and so no Secret.
  const fetchManaged = (application) =>
    Promise.all(
      Object.keys(TABLES.rules).map((kind) => get(application, 'managed-resources', { group: GROUPS[kind], kind })),
    ).then((all) => [].concat(...all.map((body) => body.items || [])).filter((i) => TABLES.rules[i.kind]));

  // useLoaded returns what a function promises of an object, or its error, and loads it again if the version changes.
  // It returns nothing that was loaded of another object.
  function useLoaded(load, id, version_) {
    const [state, setState] = React.useState({});
    React.useEffect(() => {
      let isCurrent = true;
      const set = (s) => {
        if (isCurrent) setState(Object.assign(s, { id }));
      };
      Promise.resolve()
        .then(load)
        .then(
          (value) => set({ value }),
          (error) => set({ error: error.message }),
        );
      return () => {
        isCurrent = false;
      };
    }, [id, version_]);
    return state.id === id ? state : {};
  }

  const idOf = (object) => at(object, 'metadata', 'namespace') + '/' + at(object, 'metadata', 'name');

  // version is another text whenever Argo CD has compared or synced an Application again.
  const version = (application) =>
    [
      at(application, 'status', 'sync', 'revision'),
      at(application, 'status', 'reconciledAt'),
      at(application, 'status', 'operationState', 'finishedAt'),
    ].join(' ');

  // quoted returns a word for a shell.
  const quoted = (word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");

  // inRepository returns the path of an overlay from the root of the repository: one without a leading slash is relative
  // to the Application's path.
  function inRepository(base, path) {
    const out = [];
    (path.startsWith('/') ? path : base + '/' + path).split('/').forEach((s) => {
      if (s === '..') out.pop();
      else if (s && s !== '.') out.push(s);
    });
    return out.join('/');
  }

  // flagsOf returns the flags of `vmrender plan` for the parameters of the plugin. Plans have none for `vm`: they are
  // about all VMs of the directory.
  function flagsOf(source, application) {
    const parameters = list(source, 'plugin', 'parameters');
    const of = (name, field) => (parameters.find((p) => p.name === name) || {})[field];
    const pairsOf = (name) => Object.entries(of(name, 'map') || {}).map((e) => e.join('='));
    const layer = of('layer', 'string');
    const isPlatform = layer && layer !== '-';
    const namespace = of('namespace', 'string') || at(application, 'spec', 'destination', 'namespace');
    return [
      ['--layer', isPlatform ? [layer] : []],
      ['--namespace', namespace && !isPlatform ? [namespace] : []],
      ['--overlay', (of('overlay', 'array') || []).map((file) => inRepository(source.path || '', file))],
      ['--default', pairsOf('defaults')],
      ['--set', pairsOf('vars')],
    ].reduce((all, [flag, values]) => values.reduce((more, v) => more.concat(flag, v), all), []);
  }

  // planCommand returns the command that settles what is open, at the root of the repository; or '' if the revision of
  // the last sync is unknown, or if variables, which are not read here, set parameters.
  function planCommand(application) {
    const several = list(application, 'spec', 'sources');
    const sources = several.length ? several : [at(application, 'spec', 'source') || {}];
    const i = Math.max(
      sources.findIndex((s) => at(s, 'plugin', 'name') === 'vmrender'),
      0,
    );
    const result = at(application, 'status', 'operationState', 'syncResult');
    const revision = several.length ? list(result, 'revisions')[i] : at(result, 'revision');
    if (!revision || list(sources[i], 'plugin', 'env').some((e) => /^VMRENDER_/.test(e.name))) return '';
    const path = inRepository('', sources[i].path || '');
    return ['vmrender', 'plan']
      .concat(path || [], '--from', revision, flagsOf(sources[i], application), '--live', 'cluster')
      .map(quoted)
      .join(' ');
  }

  const Failure = ({ text }) =>
    h('div', { className: 'vmr-alert', role: 'alert' }, 'The pending changes cannot be shown. ' + text);

  // Reasons shows the reasons of a cause: with the levels and conditions, if there are several, and each advice once.
  function Reasons({ of }) {
    const isOne = of.length === 1;
    const advice = of.map((r) => r.advice).filter((a, i, all) => a && all.indexOf(a) === i);
    return h(
      React.Fragment,
      null,
      h(
        'ul',
        null,
        of.map((r, i) =>
          h(
            'li',
            { key: i },
            isOne ? '' : h('strong', null, named(r.level) + (r.if ? ', if ' + r.if : '') + ': '),
            r.text,
            r.when ? ' (' + r.when + ')' : '',
            r.doubt ? '; at worst ' + named(r.worst) + ', which depends on ' + r.doubt : '',
          ),
        ),
      ),
      advice.map((a) => h('p', { key: a, className: 'vmr-note' }, a)),
    );
  }

  const fieldOf = (c) =>
    [c.object, c.key && h('code', { key: 'key' }, c.key), !c.key && c.path && h('code', { key: 'path' }, c.path)]
      .filter((p) => p)
      .reduce((all, p) => all.concat(all.length ? [' ', p] : [p]), []);

  // Table shows rows below their heads.
  function Table({ heads, rows }) {
    const head = heads.map((t) => h('th', { key: t, scope: 'col' }, t));
    return h(
      'div',
      { className: 'vmr-scroll' },
      h('table', null, h('thead', null, h('tr', null, head)), h('tbody', null, rows)),
    );
  }

  // Verdict shows what the next sync does to a VM: fields, levels and reasons, and no values.
  function Verdict({ verdict, application }) {
    if (!verdict)
      return h(
        'p',
        null,
        'This VM is not in the Application itself (a pool or another object owns it); see ',
        h('code', null, 'vmrender plan'),
        '.',
      );
    if (verdict.high === LEVEL.none) return h('p', null, 'The next sync changes nothing of this VM.');
    const rows = verdict.causes.map((c, i) =>
      h(
        'tr',
        { key: i },
        h('td', null, h(Level, { of: c })),
        h('td', { title: c.path }, fieldOf(c).length ? fieldOf(c) : 'the VM'),
        h('td', null, h(Reasons, { of: c.reasons })),
      ),
    );
    return h(
      'div',
      null,
      h('p', null, 'The next sync: ', h(Level, { of: verdict })),
      h(Table, { heads: ['Level', 'Field', 'Reason'], rows }),
      verdict.low === verdict.high ? null : h(Settle, { application }),
    );
  }

  function Settle({ application }) {
    const command = planCommand(application);
    return h(
      'p',
      { className: 'vmr-note' },
      '[?] depends on settings of the cluster and on what is not read here. ',
      command ? 'This command reports one level: ' : 'A plan with --live reports one level.',
      command ? h(Line, { text: command }) : null,
    );
  }

  // linksOf returns the links in the annotations of objects, "TITLE|URL" or a URL. Others than of the web are left out.
  function linksOf(objects) {
    const out = [];
    objects.forEach((o) => {
      const all = at(o, 'metadata', 'annotations') || {};
      Object.keys(all)
        .filter((k) => k.startsWith('link.argocd.argoproj.io/'))
        .forEach((k) => {
          const parts = all[k].split('|');
          const url = parts.pop();
          if (/^https?:\/\//.test(url)) out.push({ url, title: parts.join('|') || k.split('/')[1] });
        });
    });
    return out;
  }

  // stateOf returns the rows of the state of a VM.
  function stateOf(vm, instance, tree) {
    const addresses = list(instance, 'status', 'interfaces')
      .filter((n) => n.ipAddress || n.mac)
      .map((n) => (n.name || 'NIC') + ': ' + ((n.ipAddresses || []).join(', ') || n.ipAddress || n.mac));
    const schedule = ['power', 'snapshots', 'patch', 'maintenance']
      .filter((k) => annotation(vm, 'vmrender.io/' + k))
      .map((k) => [k[0].toUpperCase() + k.slice(1), annotation(vm, 'vmrender.io/' + k)]);
    return [
      ['Status', at(vm, 'status', 'printableStatus') || 'unknown'],
      ['Ready', condition(vm, 'Ready').status === 'True' ? 'yes' : 'no'],
      ['Run strategy', at(withRunStrategy(vm), 'spec', 'runStrategy')],
      ['Lifecycle', annotation(vm, 'vmrender.io/lifecycle')],
      ['Node', at(instance, 'status', 'nodeName')],
      ['Addresses', addresses.join('; ')],
      [
        'Disks',
        disksOf(vm, tree)
          .map((d) => d.name + ': ' + d.text)
          .join('; '),
      ],
    ]
      .concat(schedule)
      .filter((row) => row[1]);
  }

  const Rows = ({ of }) =>
    h(
      'table',
      { className: 'vmr-state' },
      h(
        'tbody',
        null,
        of.map((r) => h('tr', { key: r[0] }, h('th', { scope: 'row' }, r[0]), h('td', null, r[1]))),
      ),
    );

  // instanceOf loads the instance of a VM, which has its node and addresses, if the tree contains it.
  function instanceOf(application, tree, vm) {
    const { namespace, name } = vm.metadata;
    const node = list(tree, 'nodes').find(
      (n) => n.kind === 'VirtualMachineInstance' && n.namespace === namespace && n.name === name,
    );
    if (!node) return null;
    const query = {
      namespace,
      resourceName: name,
      version: node.version || 'v1',
      kind: node.kind,
      group: 'kubevirt.io',
    };
    return get(application, 'resource', query).then((body) => JSON.parse(body.manifest));
  }

  const Part = ({ title, children }) => h(React.Fragment, null, h('h3', null, title), children);
  const Page = ({ children }) => h('div', { className: 'vmr' }, h('style', null, STYLE), children);

  // MachineTab is the tab of a VirtualMachine.
  function MachineTab({ application, resource, tree }) {
    const vm = resource && resource.metadata ? resource : { metadata: {} };
    const { namespace, name } = vm.metadata;
    const managed = useLoaded(() => fetchManaged(application), idOf(application), version(application));
    const instance = useLoaded(
      () => instanceOf(application, tree, vm),
      idOf(application) + ' ' + idOf(vm),
      at(vm, 'metadata', 'resourceVersion'),
    );
    const verdicts = managed.value ? verdictsOf(managed.value, application) : [];
    const waits = waitsOf(vm, tree).concat(approvalsOf(application, namespace, name));
    const links = linksOf([vm, application]);
    return h(
      Page,
      null,
      h(Part, { title: 'State' }, h(Rows, { of: stateOf(vm, instance.value, tree) })),
      h(Part, { title: 'Waits for' }, waits.length ? h(Items, { of: waits }) : h('p', null, 'Nothing.')),
      h(
        Part,
        { title: 'Pending change' },
        managed.error
          ? h(Failure, { text: managed.error })
          : managed.value
            ? h(Verdict, { verdict: verdicts.find((v) => v.namespace === namespace && v.name === name), application })
            : h('p', null, 'Loading…'),
      ),
      links.length
        ? h(
            Part,
            { title: 'Links' },
            h(
              'ul',
              null,
              links.map((l) =>
                h(
                  'li',
                  { key: l.url },
                  h('a', { href: l.url, target: '_blank', rel: 'noopener noreferrer' }, l.title),
                ),
              ),
            ),
          )
        : null,
    );
  }

  // machinesOf returns the VMs of an Application: those of its tree, and those that it does not have yet.
  function machinesOf(application, tree, managed) {
    const items = managed || [];
    const verdicts = verdictsOf(items, application);
    const all = new Map();
    list(tree, 'nodes')
      .filter(isMachine)
      .concat(items.filter((i) => i.kind === 'VirtualMachine'))
      .forEach((n) => {
        const id = n.namespace + '/' + n.name,
          of = (list_) => list_.find((o) => o.namespace === n.namespace && o.name === n.name);
        const live = JSON.parse(at(of(items.filter((i) => i.kind === 'VirtualMachine')), 'liveState') || 'null');
        const node = of(list(tree, 'nodes').filter(isMachine));
        const state =
          at(node, 'health', 'message') ||
          at(live, 'status', 'printableStatus') ||
          (node ? 'unknown' : 'not in the cluster');
        all.set(id, {
          id,
          state,
          verdict: of(verdicts),
          waits: (live ? waitsOf(live, tree) : []).concat(approvalsOf(application, n.namespace, n.name)),
        });
      });
    const worst = (m) => (m.verdict ? m.verdict.high : 0);
    return [...all.values()].sort(
      (a, b) => worst(b) - worst(a) || b.waits.length - a.waits.length || (a.id < b.id ? -1 : 1),
    );
  }

  // Row shows a VM; other stands where there is no verdict of it.
  const Row = ({ of, other }) =>
    h(
      'tr',
      null,
      h('th', { scope: 'row' }, of.id),
      h('td', null, of.state),
      h('td', null, of.verdict ? h(Level, { of: of.verdict }) : other),
      h('td', null, h(Items, { of: of.waits })),
    );

  // MachinesView is the view of all VMs of an Application.
  function MachinesView({ application, tree }) {
    const managed = useLoaded(() => fetchManaged(application), idOf(application), version(application));
    const all = machinesOf(application, tree, managed.value);
    const isOpen = all.some((m) => m.verdict && m.verdict.low !== m.verdict.high);
    const other = managed.error ? 'unknown' : managed.value ? '' : 'Loading…';
    if (!all.length)
      return h(
        Page,
        null,
        managed.error
          ? h(Failure, { text: managed.error })
          : h('p', null, managed.value ? 'This Application has no VMs.' : 'Loading…'),
      );
    return h(
      Page,
      null,
      managed.error ? h(Failure, { text: managed.error }) : null,
      h(Table, {
        heads: ['VM', 'State', 'Pending change', 'Waits for'],
        rows: all.map((m) => h(Row, { key: m.id, of: m, other })),
      }),
      isOpen ? h(Settle, { application }) : null,
    );
  }

  if (window.extensionsAPI) {
    window.extensionsAPI.registerResourceExtension(MachineTab, 'kubevirt.io', 'VirtualMachine', 'VM', {
      icon: 'fa-desktop',
    });
    window.extensionsAPI.registerAppViewExtension(MachinesView, 'VMs', 'fa-desktop');
  }

  if (typeof module !== 'undefined') module.exports = { verdictsOf, planCommand, holds, TABLES, PREDICATES };
})(typeof window === 'undefined' ? {} : window);
