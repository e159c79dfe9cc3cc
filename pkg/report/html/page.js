// The list of a page: search, filters, keys. Rows are built when they are about to be seen.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const {columns, sections, texts, noun, rows} = data;
  const shown = columns.map((_, i) => i).filter((i) =>
    columns[i].kind !== 'group' && rows.some((row) => texts[row.c[i]] !== ''));
  const group = columns.findIndex((c) => c.kind === 'group');
  const chunk = 100;

  // el returns an element. Text is only ever set as text, never as markup.
  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== undefined && value !== false) node.setAttribute(name, value);
    }
    node.append(...children.filter(Boolean));
    return node;
  }

  function icon(name) {
    const node = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
    node.setAttribute('class', 'icon');
    node.setAttribute('aria-hidden', 'true');
    use.setAttribute('href', '#' + name);
    node.append(use);
    return node;
  }

  // prose returns the parts of a text; those between backquotes are code.
  const prose = (text) => text.split('`').map((part, i) => i % 2 ? el('code', {}, part) : part);

  const count = (n) => n.toLocaleString('en-US') + ' ' + noun + (n === 1 ? '' : 's');
  const opens = (i) => Boolean(rows[i].d || rows[i].cut);
  const cell = (row, column) => texts[row.c[column]];

  // What is selected: a search text, and for columns the accepted texts.
  const filters = new Map();
  const open = new Set();
  let matched = rows.map((_, i) => i);
  let built = 0;

  const haystacks = [];
  function haystack(i) {
    if (haystacks[i] === undefined) {
      const all = [...rows[i].c];
      for (const [, ...lines] of rows[i].d || []) all.push(...lines.flat());
      haystacks[i] = all.map((t) => texts[t]).join('\n').toLowerCase();
    }
    return haystacks[i];
  }

  function select() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    matched = [];
    rows.forEach((row, i) => {
      for (const [column, accepted] of filters) {
        if (accepted.size > 0 && !accepted.has(cell(row, column))) return;
      }
      if (words.every((w) => haystack(i).includes(w))) matched.push(i);
    });
    body.replaceChildren();
    built = 0;
    build(chunk);
    status.textContent = matched.length === rows.length
      ? count(rows.length) : matched.length.toLocaleString('en-US') + ' of ' + count(rows.length);
    empty.hidden = matched.length > 0;
    table.hidden = matched.length === 0;
    clear.hidden = search.value === '' && [...filters.values()].every((f) => f.size === 0);
  }

  // build adds rows until there are as many as wanted.
  function build(wanted) {
    const end = Math.min(wanted, matched.length);
    const fragment = document.createDocumentFragment();
    for (; built < end; built++) {
      const i = matched[built];
      if (group >= 0 && (built === 0 || rows[i].c[group] !== rows[matched[built - 1]].c[group])) {
        fragment.append(heading(i));
      }
      fragment.append(line(i));
      if (open.has(i)) fragment.append(details(i));
    }
    body.append(fragment);
    more.hidden = built === matched.length;
  }

  function heading(i) {
    const same = matched.filter((j) => rows[j].c[group] === rows[i].c[group]).length;
    const head = el('th', {colspan: shown.length, scope: 'rowgroup', role: 'rowheader'},
      cell(rows[i], group), el('span', {class: 'note'}, count(same)));
    return el('tr', {class: 'group', role: 'row'}, head);
  }

  function line(i) {
    const row = el('tr', {class: 'row', role: 'row', 'data-row': i});
    for (const column of shown) {
      const {title, kind} = columns[column];
      const text = cell(rows[i], column);
      if (kind === 'name') {
        const button = el('button', {
          type: 'button', 'aria-expanded': opens(i) && String(open.has(i)), 'aria-controls': open.has(i) && 'details-' + i,
        }, icon(opens(i) ? 'chevron' : 'blank'), el('span', {}, text));
        row.append(el('th', {scope: 'row', role: 'rowheader'}, button));
      } else {
        row.append(el('td', {role: 'cell', class: kind && 'is-' + kind, 'data-title': title}, ...shape(kind, text)));
      }
    }
    return row;
  }

  function shape(kind, text) {
    if (kind === 'level') return [level(text)];
    if (kind === 'tag' && text) return text.split(', ').map((t) => el('span', {class: 'tag'}, t));
    return kind === 'prose' ? prose(text) : [text];
  }

  function level(name) {
    return el('span', {class: 'level level-' + name}, icon('level-' + name), name.replaceAll('-', ' '));
  }

  function details(i) {
    const box = el('td', {colspan: shown.length, role: 'cell'});
    if (rows[i].cut) box.append(el('p', {class: 'note'}, 'The details are left out: the page would be too large.'));
    for (const [section, ...lines] of rows[i].d || []) {
      if (lines.length > 0) box.append(part(sections[section], lines.map((l) => l.map((t) => texts[t]))));
    }
    return el('tr', {class: 'details', role: 'row', id: 'details-' + i}, box);
  }

  function part(section, lines) {
    const out = el('div', {class: 'part'}, section.title ? el('h3', {}, section.title) : '');
    if (section.kind === 'changes') {
      out.append(...lines.map(change));
    } else if (section.columns) {
      const heads = section.columns.map((title) => el('th', {scope: 'col', role: 'columnheader'}, title));
      const cells = (l) => l.map((text, k) => el('td', {role: 'cell', 'data-title': section.columns[k]}, text));
      out.append(el('table', {role: 'table'}, el('thead', {}, el('tr', {role: 'row'}, ...heads)),
        el('tbody', {}, ...lines.map((l) => el('tr', {role: 'row'}, ...cells(l))))));
    } else {
      const pair = ([term, text]) => el('div', {}, el('dt', {}, term), el('dd', {}, text));
      out.append(el('dl', {}, ...lines.map(pair)));
    }
    return out;
  }

  // change returns one difference: what happens, where, from what to what, why, and what to do.
  function change([name, about, path, before, after, reason, advice, when, unknown, later]) {
    const value = (tag, label, text) => el(tag, {}, el('span', {class: 'hidden'}, label), text || '–');
    const line = (label, text) => text && el('div', {}, el('dt', {}, label), el('dd', {}, ...prose(text)));
    const values = before + after && el('div', {}, el('dt', {}, 'Value'), el('dd', {class: 'diff'},
      value('del', 'before: ', before), el('span', {'aria-hidden': 'true'}, ' → '), value('ins', 'after: ', after)));
    return el('div', {class: 'change'},
      el('p', {}, level(name), about && el('strong', {}, about), later && el('span', {class: 'tag'}, later)),
      el('dl', {}, line('Why', reason), path !== about && path && line('Field', '`' + path + '`'), values,
        line('When', when), line('Advice', advice), line('Unknown', unknown)));
  }

  function toggle(row) {
    const i = Number(row.dataset.row);
    const button = row.querySelector('button');
    if (!opens(i)) return;
    if (open.delete(i)) {
      row.nextSibling.remove();
      button.removeAttribute('aria-controls');
    } else {
      open.add(i);
      row.after(details(i));
      button.setAttribute('aria-controls', 'details-' + i);
    }
    button.setAttribute('aria-expanded', open.has(i));
  }

  // focusRow sets the focus to a row by its position among those that match.
  function focusRow(position) {
    const to = Math.max(0, Math.min(position, matched.length - 1));
    if (matched.length === 0) return;
    if (to >= built) build(to + chunk);
    body.querySelector('[data-row="' + matched[to] + '"] button').focus();
  }

  function reset() {
    search.value = '';
    for (const accepted of filters.values()) accepted.clear();
    for (const s of document.querySelectorAll('.tools select')) s.value = '';
    for (const b of document.querySelectorAll('[data-filter]')) b.setAttribute('aria-pressed', 'false');
    select();
  }

  // The parts of the page.
  const search = el('input', {
    type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'Name, address, image, …',
    'aria-keyshortcuts': '/',
  });
  const clear = el('button', {type: 'button', class: 'clear', hidden: ''}, 'Clear');
  const tools = el('div', {class: 'tools', role: 'search'},
    el('label', {class: 'search'}, el('span', {}, 'Search'), search));
  const status = el('p', {class: 'status', role: 'status'});
  const body = el('tbody', {role: 'rowgroup'});
  const heads = shown.map((i) => el('th', {scope: 'col', role: 'columnheader', class: columns[i].kind && 'is-' + columns[i].kind},
    columns[i].title));
  const table = el('table', {class: 'rows', role: 'table', 'aria-labelledby': 'list-title'},
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, ...heads)), body);
  const empty = el('p', {class: 'empty', hidden: ''}, rows.length ? 'Nothing matches.' : 'There are no ' + noun + 's.');
  const more = el('div', {class: 'more'});
  const keys = el('p', {class: 'keys note'});
  for (const [key, does] of [['/', 'search'], ['j', ''], ['k', 'next, previous'], ['Enter', 'details'], ['Esc', 'clear']]) {
    keys.append(el('kbd', {}, key), ' ' + does + ' ');
  }

  columns.forEach((column, i) => {
    if (!column.filter) return;
    filters.set(i, new Set());
    const counts = new Map();
    for (const row of rows) counts.set(cell(row, i), (counts.get(cell(row, i)) || 0) + 1);
    if (column.kind === 'level' || counts.size < 2) return;
    const options = [...counts.keys()].sort().map((text) =>
      el('option', {value: text}, (text || 'none') + ' (' + counts.get(text) + ')'));
    const control = el('select', {}, el('option', {value: ''}, 'all'), ...options);
    control.addEventListener('change', () => {
      filters.get(i).clear();
      if (control.selectedIndex > 0) filters.get(i).add(control.value);
      select();
    });
    tools.append(el('label', {}, el('span', {}, column.title), control));
  });
  tools.append(clear, status);
  document.querySelector('.list').append(tools, table, empty, more, keys);

  for (const button of document.querySelectorAll('[data-filter]')) {
    button.addEventListener('click', () => {
      const accepted = filters.get(Number(button.dataset.filter));
      if (!accepted.delete(button.dataset.value)) accepted.add(button.dataset.value);
      button.setAttribute('aria-pressed', accepted.has(button.dataset.value));
      select();
    });
  }
  search.addEventListener('input', select);
  clear.addEventListener('click', () => { reset(); search.focus(); });
  body.addEventListener('click', (event) => {
    const row = event.target.closest('tr.row');
    if (row && !String(getSelection())) toggle(row);
  });
  new IntersectionObserver((entries) => {
    if (entries.some((e) => e.isIntersecting)) build(built + chunk);
  }, {rootMargin: '800px'}).observe(more);
  addEventListener('beforeprint', () => build(matched.length));

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement;
    const row = at && at.closest('tr.row');
    const index = row ? Number(row.dataset.row) : -1;
    const position = matched.indexOf(index);
    const act = (does) => { event.preventDefault(); does(); };
    if (event.key === 'Escape') {
      if (open.has(index)) return act(() => toggle(row));
      if (at === search) at.blur();
      if (!clear.hidden) return act(() => { reset(); if (row) focusRow(matched.indexOf(index)); });
      return;
    }
    if (at === search && (event.key === 'ArrowDown' || event.key === 'Enter')) return act(() => focusRow(0));
    if (at && /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
    const steps = {j: position + 1, k: position - 1};
    if (row) Object.assign(steps, {ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: matched.length});
    if (event.key === '/') return act(() => search.focus());
    if (event.key in steps) return act(() => focusRow(steps[event.key]));
  });

  // The theme is the system's until the button is used.
  const root = document.documentElement;
  const saved = (() => { try { return localStorage.getItem('vmrender-theme'); } catch { return null; } })();
  if (saved === 'dark' || saved === 'light') root.dataset.theme = saved;
  const dark = () => (root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const theme = el('button', {type: 'button', class: 'theme', 'aria-pressed': String(dark())}, icon('theme'), 'Dark');
  theme.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    theme.setAttribute('aria-pressed', dark());
    try { localStorage.setItem('vmrender-theme', root.dataset.theme); } catch { /* not kept */ }
  });
  document.querySelector('.head').prepend(theme);

  select();
})();
