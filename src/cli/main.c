#include "ptxlint/ptxlint.h"
#include <stdio.h>
#include <string.h>
static int w(void*c,const char*b,size_t n){return fwrite(b,1,n,c)!=n;}
int main(int c,char**v){ptxlint_write_options o;ptxlint_write_options_init(&o);int rep=0;for(int i=1;i<c;i++){if(!strcmp(v[i],"-r")){rep=1;continue;}if(!strcmp(v[i],"-j")){o.format=PTXLINT_JSON;continue;}ptxlint_module*m;ptxlint_status s=ptxlint_module_open(v[i],NULL,&m);if(s){printf("%s: %s\n",v[i],ptxlint_status_text(s));continue;}const ptxlint_module*k=m;if(rep)ptxlint_write_report(&k,1,&o,w,stdout);else ptxlint_write_diagnostics(&k,1,&o,w,stdout);ptxlint_module_free(m);}return 0;}
