#pragma once

#include <string_view>

namespace berth {

// The page around the map: its look, and what it does. `data` in the script is what map_html.cc
// writes: {cuts: [[x, "step", "name"]...], arenas: ["name"...],
//          panels: [[top, bottom, foot, height, "byte at the top", "arena's end", peak's x]...], of
//          the first arenas,
//          buffers: [[id, arena, "name", "bytes", "life", "offset", "note",
//          [[x1, x2(, "first byte", "end" of what is kept)]...], "count"]...]}: all of them, though
//          the smallest of very many are not drawn one by one.

inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2128;--mut:#667080;--rule:#dfe3e8;--card:#fff;--hit:#eef1f5}
@media(prefers-color-scheme:dark){:root{--bg:#14171c;--fg:#e8ebf0;--mut:#97a1af;--rule:#2f3640;--card:#20252d;--hit:#262c35}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);font:13px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{display:flex;gap:16px;align-items:flex-start;padding:8px}#map{flex:1 1 auto;min-width:0}#map svg{width:100%;height:auto;display:block}
aside{flex:0 0 300px;position:sticky;top:8px;max-height:calc(100vh - 16px);display:flex;flex-direction:column;gap:10px;padding-top:14px}
input{width:100%;padding:7px 10px;border:1px solid var(--rule);border-radius:6px;background:var(--card);color:var(--fg);font:inherit}
#found{color:var(--mut);min-height:1.4em}#pin{border:1px solid var(--rule);border-radius:6px;padding:8px 10px;background:var(--card);overflow-wrap:anywhere}#pin:empty{display:none}
h2{font-size:13px;margin:0 0 4px}#live{overflow:auto;border-top:1px solid var(--rule);padding-top:8px}
#live table{width:100%;border-collapse:collapse}#live td{padding:2px 4px;vertical-align:top}#live td:first-child{overflow-wrap:anywhere}#live td+td{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--mut)}
#live tr{cursor:pointer}#live tr:hover{background:var(--hit)}.mut{color:var(--mut)}dl{display:grid;grid-template-columns:auto 1fr;gap:1px 10px;margin:4px 0 0}dt{color:var(--mut)}dd{margin:0;font-variant-numeric:tabular-nums}
#tip{position:fixed;z-index:2;pointer-events:none;max-width:340px;padding:8px 10px;border-radius:6px;background:var(--card);border:1px solid var(--rule);box-shadow:0 4px 16px rgba(0,0,0,.22);overflow-wrap:anywhere;display:none}
.berth [data-b]{cursor:pointer}.berth .on{stroke:var(--ink)!important;stroke-width:2.5!important;stroke-dasharray:none}.berth.some [data-b]:not(.hit):not(.on){opacity:.18}.berth.some .n,.berth.some .n2{opacity:.35}
#guide{fill:var(--ink);opacity:.09;pointer-events:none}#mark{fill:none;stroke:var(--ink);stroke-width:2.5;pointer-events:none}
@media(max-width:900px){main{flex-direction:column}aside{flex:none;width:100%;position:static}}
)css";

inline constexpr std::string_view kPageScript = R"js(
(function(){'use strict';
const svg=document.querySelector('svg.berth'),$=id=>document.getElementById(id);
const byId=new Map(data.buffers.map(b=>[String(b[0]),b])),tiles=new Map();
for(const r of svg.querySelectorAll('[data-b]')){const k=r.dataset.b;if(!tiles.has(k))tiles.set(k,[]);tiles.get(k).push(r);}
const el=(tag,text,cls)=>{const e=document.createElement(tag);if(text!==undefined)e.textContent=text;if(cls)e.className=cls;return e;};
const short=s=>s.length>240?s.slice(0,120)+'\u2026'+s.slice(-119):s;
const arena=i=>i in data.arenas?data.arenas[i]||'the arena':'?';
const where=b=>arena(b[1])+(b[1]<data.panels.length?'':' (not drawn)');
function card(b){const f=document.createDocumentFragment();f.append(el('h2',short(b[2])));const d=el('dl');
  for(const [k,v] of [['bytes',b[3]],['steps',b[4]],['offset',b[5]],['arena',where(b)],['',b[6]]])
    if(v){d.append(el('dt',k),el('dd',v));}
  f.append(d);return f;}
let lit=null,pinned=null;
function light(k){if(k===lit)return;for(const id of [lit])if(id!==null&&id!==pinned)for(const r of tiles.get(id)||[])r.classList.remove('on');
  lit=k;if(k!==null)for(const r of tiles.get(k)||[])r.classList.add('on');}
function pin(k){if(pinned!==null&&pinned!==k)for(const r of tiles.get(pinned)||[])r.classList.remove('on');
  pinned=k;$('pin').replaceChildren();showMark(k===null?null:byId.get(k));
  if(k===null)return;for(const r of tiles.get(k)||[])r.classList.add('on');$('pin').append(card(byId.get(k)));}
const mark=document.createElementNS('http://www.w3.org/2000/svg','path');mark.id='mark';svg.append(mark);
function bytesOf(b,s){return s.length>2?[BigInt(s[2]),BigInt(s[3])]:[BigInt(b[5]),BigInt(b[5])+BigInt(b[8])];}
function showMark(b){const p=b&&data.panels[b[1]];if(!p||tiles.has(String(b[0]))){mark.setAttribute('d','');return;}
  const y=n=>p[2]-p[3]*Number(n)/Math.max(Number(p[4]),1);
  mark.setAttribute('d',b[7].map(s=>{const [lo,hi]=bytesOf(b,s);return 'M'+s[0]+' '+y(hi)+'H'+Math.max(s[1],s[0]+2)+'V'+Math.max(y(lo),y(hi)+2)+'H'+s[0]+'Z';}).join(''));}
const guide=document.createElementNS('http://www.w3.org/2000/svg','rect');guide.id='guide';svg.append(guide);
function columnAt(x){const c=data.cuts;let lo=0,hi=c.length-1;if(hi<1||x<c[0][0]||x>=c[hi][0])return -1;
  while(lo+1<hi){const m=(lo+hi)>>1;if(c[m][0]<=x)lo=m;else hi=m;}return lo;}
const liveAt=(x,panel)=>data.buffers.filter(b=>b[1]===panel&&b[7].some(s=>s[0]<=x&&x<s[1]));
function holesAt(x,panel){const held=[];for(const b of liveAt(x,panel))for(const s of b[7])if(s[0]<=x&&x<s[1])held.push(bytesOf(b,s));
  held.sort((a,b)=>a[0]<b[0]?-1:a[0]>b[0]?1:0);const holes=[],end=BigInt(data.panels[panel][5]);let at=0n;
  for(const [lo,hi] of held){if(lo>at&&at<end)holes.push([at,lo<end?lo:end]);if(hi>at)at=hi;}
  if(at<end)holes.push([at,end]);return holes;}
function holesText(x,panel){const holes=holesAt(x,panel),size=h=>h[1]-h[0],all=holes.reduce((n,h)=>n+size(h),0n);
  if(!holes.length)return 'no holes: all of the arena is in use';
  const most=holes.slice().sort((a,b)=>size(a)<size(b)?1:size(a)>size(b)?-1:a[0]<b[0]?-1:1).slice(0,6);
  return all+' B free in '+holes.length+(holes.length===1?' hole: ':' holes: ')+most.map(h=>'['+h[0]+', '+h[1]+') '+size(h)).join('; ')+(holes.length>6?'; and smaller ones':'');}
let shown='';
function showLive(col,panel){const key=col+'/'+panel;if(key===shown)return;shown=key;const box=$('live');box.replaceChildren();
  if(col<0||panel<0){guide.setAttribute('width',0);box.append(el('div','Point at the map to see who is live at a step, and what is free.','mut'));
    data.panels.forEach((p,i)=>{if(p[5]!=='0')box.append(el('div',arena(i)+' at its max load: '+holesText(p[6],i),'mut'));});return;}
  const c=data.cuts,p=data.panels[panel],x=(c[col][0]+c[col+1][0])/2;
  guide.setAttribute('x',c[col][0]);guide.setAttribute('width',Math.max(c[col+1][0]-c[col][0],1));
  guide.setAttribute('y',p[0]);guide.setAttribute('height',p[1]-p[0]);
  const last=String(BigInt(c[col+1][1])-1n),name=c[col][2];
  const who=liveAt(x,panel).sort((a,b)=>{
    const d=BigInt(b[8])-BigInt(a[8]);return d<0n?-1:d>0n?1:a[0]-b[0];});
  box.append(el('h2',(last===c[col][1]?'step '+last:'steps '+c[col][1]+' to '+last)+(name?' ('+name+')':'')));
  box.append(el('div',who.length+' live in '+arena(panel),'mut'));box.append(el('div',holesText(x,panel),'mut'));
  const t=el('table');for(const b of who.slice(0,200)){const r=el('tr');r.append(el('td',short(b[2])),el('td',b[3].replace(/ \(.*/,'')));
    const k=String(b[0]);r.onmouseenter=()=>light(k);r.onmouseleave=()=>light(null);r.onclick=()=>pin(k);t.append(r);}
  box.append(t);if(who.length>200)box.append(el('div','and '+(who.length-200)+' smaller','mut'));}
svg.addEventListener('mousemove',e=>{const m=svg.getScreenCTM();if(!m)return;const q=new DOMPoint(e.clientX,e.clientY).matrixTransform(m.inverse());
  const panel=data.panels.findIndex(p=>q.y>=p[0]&&q.y<p[1]);if(panel>=0)showLive(columnAt(q.x),panel);
  const k=e.target.dataset?e.target.dataset.b:undefined,tip=$('tip');
  if(k===undefined){light(null);tip.style.display='none';return;}
  light(k);tip.replaceChildren(card(byId.get(k)));tip.style.display='block';
  const w=tip.offsetWidth,h=tip.offsetHeight;
  tip.style.left=Math.min(e.clientX+14,innerWidth-w-8)+'px';tip.style.top=(e.clientY+16+h>innerHeight?e.clientY-h-12:e.clientY+16)+'px';});
svg.addEventListener('mouseleave',()=>{light(null);$('tip').style.display='none';});
svg.addEventListener('click',e=>{const k=e.target.dataset?e.target.dataset.b:undefined;pin(k===undefined||k===pinned?null:k);});
$('find').addEventListener('input',()=>{const q=$('find').value.toLowerCase();for(const r of svg.querySelectorAll('.hit'))r.classList.remove('hit');
  svg.classList.toggle('some',q!=='');if(q===''){$('found').textContent='';return;}
  const hits=data.buffers.filter(b=>b[2].toLowerCase().includes(q));for(const b of hits)for(const r of tiles.get(String(b[0]))||[])r.classList.add('hit');
  $('found').textContent=hits.length===0?'no buffer has this in its name':hits.length+(hits.length===1?' buffer':' buffers')+' found';
  if(hits.length===1)pin(String(hits[0][0]));});
addEventListener('keydown',e=>{if(e.key==='Escape'){pin(null);$('find').value='';$('find').dispatchEvent(new Event('input'));}});
showLive(-1,-1);
})();
)js";

}  // namespace berth
